import type { Stack } from '@aws-sdk/client-cloudformation';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { milliseconds, seededRandom } from '../../../lib/base/index.ts';
import { createVirtualClock } from '../../../local/clock.ts';
import {
  createCloudFormation,
  type DeploymentServices,
  type Template,
  type TemplateResource,
} from '../../../local/cloudformation/index.ts';
import type { ModelContext, Service } from '../../../local/service.ts';
import { createSns } from '../../../local/sns/index.ts';
import { createSqs } from '../../../local/sqs/index.ts';
import { assemblyOf } from './support.ts';

/** One resource of a random template: a queue with a dead-letter queue before it, or a topic. */
interface Drawn {
  readonly kind: 'queue' | 'topic';
  readonly fifo: boolean;
  /** Of a queue in seconds; `undefined` takes it from the parameter. */
  readonly timeout: number | undefined;
  readonly deadLetters: boolean;
  readonly retained: boolean;
  readonly title: string;
}

/** One deployment: a template, the value of its parameter, and after how many calls that make something one fails. */
interface Round {
  readonly resources: readonly (Drawn | undefined)[];
  readonly size: number;
  readonly failAt: number | undefined;
  readonly way: 'in process' | 'change set' | 'direct';
}

const slots = ['A', 'B', 'C', 'D'];

const drawn: fc.Arbitrary<Drawn> = fc.record({
  kind: fc.constantFrom('queue' as const, 'queue' as const, 'topic' as const),
  fifo: fc.boolean(),
  timeout: fc.option(fc.constantFrom(10, 20), { nil: undefined }),
  deadLetters: fc.boolean(),
  retained: fc.boolean(),
  title: fc.constantFrom('one', 'two'),
});
const round: fc.Arbitrary<Round> = fc.record({
  resources: fc
    .tuple(...slots.map(() => fc.option(drawn, { nil: undefined, freq: 4 })))
    .filter((resources) => resources.some((resource) => resource !== undefined)),
  size: fc.constantFrom(30, 40),
  failAt: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined, freq: 2 }),
  way: fc.constantFrom('in process', 'change set', 'direct'),
});

/** A type that changes its kind needs another logical id: CloudFormation refuses it under the same. */
const logicalId = (slot: number, { kind }: Drawn) => `${kind}${slots[slot]}`;

function templateOf({ resources, size, way }: Round): Template {
  const found: Record<string, TemplateResource> = {};
  let queueBefore: { readonly id: string; readonly fifo: boolean } | undefined;
  resources.forEach((resource, slot) => {
    if (resource === undefined) return;
    const id = logicalId(slot, resource);
    const { fifo, timeout, deadLetters, retained, title } = resource;
    // The same in two words: in process there is no RetainExceptOnCreate to ask with.
    const DeletionPolicy = way === 'in process' ? 'RetainExceptOnCreate' : 'Retain';
    const policies = retained ? { DeletionPolicy, UpdateReplacePolicy: 'Retain' } : {};
    if (resource.kind === 'topic') {
      const Properties = { DisplayName: title, ...(fifo ? { FifoTopic: true } : {}) };
      found[id] = { Type: 'AWS::SNS::Topic', Properties, ...policies };
      return;
    }
    const target = deadLetters && queueBefore?.fifo === fifo ? queueBefore : undefined;
    found[id] = {
      Type: 'AWS::SQS::Queue',
      Properties: {
        VisibilityTimeout: timeout ?? { Ref: 'Size' },
        ...(fifo ? { FifoQueue: true } : {}),
        ...(target === undefined
          ? {}
          : {
              RedrivePolicy: {
                deadLetterTargetArn: { 'Fn::GetAtt': [target.id, 'Arn'] },
                maxReceiveCount: 3,
              },
            }),
      },
      ...policies,
    };
    queueBefore = { id, fifo };
  });
  return {
    Parameters: { Size: { Type: 'Number', Default: String(size) } },
    Resources: found,
    Outputs: Object.fromEntries(Object.keys(found).map((id) => [id, { Value: { Ref: id } }])),
  };
}

type Answer = Record<string, unknown>;

/** The real queues and topics, CloudFormation over them, and calls that can be made to fail before they do anything. */
function prepareServices() {
  const context: ModelContext = {
    clock: createVirtualClock(milliseconds(0)),
    random: seededRandom(7),
    account: '000000000000',
    region: 'us-east-1',
    endpoint: 'http://127.0.0.1:4566',
    metrics: { count: () => undefined, gauge: () => () => undefined },
  };
  const sqs = createSqs(context);
  const sns = createSns(context, sqs);
  let callsLeft: number | undefined;
  const underFaults = (service: Service): Pick<Service, 'operations'> => ({
    operations: Object.fromEntries(
      Object.entries(service.operations).map(([action, operation]) => [
        action,
        (input, call) => {
          if (callsLeft !== undefined && /^(Create|Set|Tag|Untag)/.test(action)) {
            if (callsLeft === 0) {
              callsLeft = undefined;
              throw new Error(`${action} fails`);
            }
            callsLeft--;
          }
          return operation(input, call);
        },
      ]),
    ),
  });
  const none = { operations: {} };
  const services: DeploymentServices = {
    sqs: underFaults(sqs),
    sns: underFaults(sns),
    dynamodb: none,
    cloudwatch: none,
    lambda: { ...none, provideCode: () => undefined },
  };
  const cloudformation = createCloudFormation(context, services);
  const call = async (service: Service, action: string, input: object): Promise<Answer> =>
    (await service.operations[action]!(input, {})) as Answer;

  /** Everything that the services have, without the moments at which it was made. */
  const inventory = async () => {
    const found = new Map<string, Answer>();
    for (const { url } of sqs.queues()) {
      const { Attributes } = (await call(sqs, 'GetQueueAttributes', {
        QueueUrl: url,
        AttributeNames: ['All'],
      })) as { Attributes: Record<string, string> };
      const { CreatedTimestamp, LastModifiedTimestamp, ...rest } = Attributes;
      found.set(url, rest);
    }
    const { Topics } = (await call(sns, 'ListTopics', {})) as { Topics: { TopicArn: string }[] };
    for (const { TopicArn } of Topics) {
      const { Attributes } = await call(sns, 'GetTopicAttributes', { TopicArn });
      found.set(TopicArn, Attributes as Answer);
    }
    return found;
  };
  const failAfter = (calls: number | undefined) => {
    callsLeft = calls;
  };
  return { cloudformation, call, inventory, failAfter };
}

/** What a deployment leaves of the stack, whoever asks. */
const StackName = 'Shop';
type World = ReturnType<typeof prepareServices>;

async function stackOf({ cloudformation, call }: World) {
  const { Stacks } = (await call(cloudformation, 'DescribeStacks', {})) as { Stacks: Stack[] };
  const [stack] = Stacks;
  if (stack === undefined) return undefined;
  const { StackResourceSummaries } = (await call(cloudformation, 'ListStackResources', { StackName })) as {
    StackResourceSummaries: { LogicalResourceId: string; PhysicalResourceId: string }[];
  };
  const { TemplateBody } = await call(cloudformation, 'GetTemplate', { StackName });
  return {
    status: String(stack.StackStatus),
    kept: { outputs: stack.Outputs, parameters: stack.Parameters, template: TemplateBody },
    ids: new Map(
      StackResourceSummaries.map((each) => [each.LogicalResourceId, each.PhysicalResourceId] as const),
    ),
  };
}

async function deploy(world: World, next: Round): Promise<void> {
  const { cloudformation, call } = world;
  const template = templateOf(next);
  const input = { StackName, TemplateBody: JSON.stringify(template) };
  const isThere = (await stackOf(world)) !== undefined;
  world.failAfter(next.failAt);
  try {
    if (next.way === 'in process')
      await cloudformation.deploy(
        assemblyOf({ name: StackName, template, text: input.TemplateBody, parameters: {} }),
      );
    else if (next.way === 'direct')
      await call(cloudformation, isThere ? 'UpdateStack' : 'CreateStack', {
        ...input,
        RetainExceptOnCreate: true,
      });
    else {
      const ChangeSetType = isThere ? 'UPDATE' : 'CREATE';
      await call(cloudformation, 'CreateChangeSet', { ...input, ChangeSetName: 'next', ChangeSetType });
      const change = { StackName, ChangeSetName: 'next' };
      const { Status } = await call(cloudformation, 'DescribeChangeSet', change);
      if (Status === 'CREATE_COMPLETE')
        await call(cloudformation, 'ExecuteChangeSet', { ...change, RetainExceptOnCreate: true });
      else await call(cloudformation, 'DeleteChangeSet', change);
    }
  } catch (error) {
    // What is asked for is right: only the failure that was planned, or nothing to do, may come back.
    expect(String(error)).toMatch(/ fails$|No updates are to be performed/);
  }
  world.failAfter(undefined);
}

/** What the services have has to be what the template says, resource by resource. */
function demandTemplate(
  next: Round,
  ids: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, Answer>,
): void {
  const { Resources = {} } = templateOf(next);
  expect([...ids.keys()].sort()).toEqual(Object.keys(Resources).sort());
  for (const [id, { Type, Properties = {} }] of Object.entries(Resources)) {
    const has = found.get(ids.get(id) ?? '');
    expect(has, `${id} exists`).toBeDefined();
    if (Type === 'AWS::SNS::Topic') {
      expect(has).toMatchObject({ DisplayName: Properties.DisplayName });
      expect(has!.FifoTopic === 'true').toBe(Properties.FifoTopic === true);
      continue;
    }
    const timeout =
      typeof Properties.VisibilityTimeout === 'number' ? Properties.VisibilityTimeout : next.size;
    expect(has).toMatchObject({ VisibilityTimeout: String(timeout) });
    expect(has!.FifoQueue === 'true').toBe(Properties.FifoQueue === true);
    const redrive = Properties.RedrivePolicy as
      | { deadLetterTargetArn: { 'Fn::GetAtt': [string] } }
      | undefined;
    const target = ids.get(redrive?.deadLetterTargetArn['Fn::GetAtt'][0] ?? '');
    const policy = has!.RedrivePolicy === undefined ? undefined : JSON.parse(String(has!.RedrivePolicy));
    expect(policy?.deadLetterTargetArn).toBe(found.get(target ?? '')?.QueueArn);
  }
}

describe('After any sequence of deployments, some of which fail', () => {
  it('the services have exactly what the template says, or what they had before; nothing else is left but what is retained', async () => {
    let [succeeded, failed] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 6 }), async (rounds) => {
        const world = prepareServices();
        const retained = new Set<string>();
        let deployed: Round | undefined;
        for (const next of rounds) {
          const before = await stackOf(world);
          const had = await world.inventory();
          await deploy(world, next);
          const after = await stackOf(world);
          const has = await world.inventory();
          if (/ROLLBACK_COMPLETE$/.test(after!.status) && after!.status !== before?.status) failed++;
          if (after!.status === 'ROLLBACK_COMPLETE') {
            expect(has).toEqual(had);
            await world.call(world.cloudformation, 'DeleteStack', { StackName });
            continue;
          }
          const isReached =
            after!.kept.template === JSON.stringify(templateOf(next)) && !/ROLLBACK/.test(after!.status);
          if (!isReached) {
            expect({ ...after, status: '' }).toEqual({ ...before, status: '' });
            expect(has).toEqual(had);
            continue;
          }
          succeeded++;
          // What left the stack and is retained, by the policy that counts: the new one for what was replaced.
          for (const [id, physicalId] of before?.ids ?? []) {
            const isReplaced = after!.ids.has(id);
            if (after!.ids.get(id) === physicalId) continue;
            const { Resources = {} } = templateOf(isReplaced ? next : (deployed as Round));
            const { DeletionPolicy, UpdateReplacePolicy } = Resources[id]!;
            if ((isReplaced ? UpdateReplacePolicy : DeletionPolicy)?.startsWith('Retain'))
              retained.add(physicalId);
          }
          deployed = next;
          demandTemplate(next, after!.ids, has);
          expect([...has.keys()].sort()).toEqual([...after!.ids.values(), ...retained].sort());
        }
        const last = await stackOf(world);
        if (last === undefined) return;
        const { Resources = {} } = templateOf(deployed as Round);
        for (const [id, physicalId] of last.ids)
          if (Resources[id]?.DeletionPolicy?.startsWith('Retain')) retained.add(physicalId);
        await world.call(world.cloudformation, 'DeleteStack', { StackName });
        expect([...(await world.inventory()).keys()].sort()).toEqual([...retained].sort());
      }),
      { numRuns: 100 },
    );
    // A run that never fails, or never succeeds, would show nothing.
    expect(succeeded).toBeGreaterThan(50);
    expect(failed).toBeGreaterThan(20);
  });
});
