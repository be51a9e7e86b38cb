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

/** The embedded model: a fresh one for each case. */
export const modelStage = (): Stage => ({
  services: everything,
  drivesTime: true,
  abreast: 4,
  with: withModel,
});

/** A server that runs already, at a loopback address. */
export function foreignStage(
  server: World['server'],
  url: string,
  services: readonly string[] = everything,
): Stage & { close(): void } {
  const { withServer, close } = foreignWorlds({
    server,
    url,
    account: '000000000000',
    client: {
      endpoint: url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    },
  });
  return { services, drivesTime: false, abreast: 8, with: (_one, play) => withServer(play), close };
}
