import type { ConformanceCase } from './case.ts';
import type { Stage } from './run.ts';
import type { World } from './world.ts';
import { foreignWorlds } from './worlds/foreign.ts';
import { withModel } from './worlds/model.ts';

/** The services that cases ask for, as the model has them. */
const everything = [
  'sqs',
  'sns',
  'dynamodb',
  'dynamodbstreams',
  'lambda',
  'cloudwatch',
  'cloudformation',
  's3',
];

/** The embedded model: a fresh one for each case. `called` is told of each request. */
export const modelStage = (called: (one: ConformanceCase, service: string) => void = () => {}): Stage => ({
  services: everything,
  drivesTime: true,
  abreast: 4,
  functionsAbreast: 4,
  with: (one, play) => withModel(one, play, (service) => called(one, service)),
});

/** What a server has that somebody else has started; one that is not here is asked for everything. */
const servicesOf: Readonly<Partial<Record<World['server'], readonly string[]>>> = {
  moto: everything.filter((service) => service !== 'lambda'),
  fauxqs: ['sqs', 'sns', 's3'],
  'dynamodb-local': ['dynamodb', 'dynamodbstreams'],
};

/** A server that runs already, at a loopback address. */
export function foreignStage(
  server: World['server'],
  url: string,
  services: readonly string[] = servicesOf[server] ?? everything,
): Stage & { close(): void } {
  const { withServer, close } = foreignWorlds({
    server,
    url,
    account: server === 'moto' ? '123456789012' : '000000000000',
    client: {
      endpoint: url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    },
  });
  return {
    services,
    drivesTime: false,
    abreast: 8,
    functionsAbreast: 3,
    with: (_one, play) => withServer(play),
    close,
  };
}
