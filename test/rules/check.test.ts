import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  App,
  Aspects,
  CfnParameter,
  CfnResource,
  Duration,
  Lazy,
  NestedStack,
  Stack,
  Stage,
  Token,
  Validations,
} from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { CloudAssembly } from 'aws-cdk-lib/cx-api';
import { Construct, RootConstruct } from 'constructs';
import { type RuleId, Sluice } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';
import { synthesize } from '../wrong-stacks/support/specimen.ts';

const newApp = (context: Record<string, unknown> = {}) => new App({ analyticsReporting: false, context });

/** A queue that is delayed for longer than SQS allows: one error. */
const slow = (scope: Construct, id = 'Slow') => new CfnQueue(scope, id, { delaySeconds: 901 });
/** One warning. */
const lonely = (scope: Construct, id = 'Lonely') => new Topic(scope, id);

describe('Sluice.check refuses', () => {
  it('with all errors of all stacks in one, each with its construct, what was found and what to do', () => {
    const app = newApp();
    slow(new Stack(app, 'One'));
    slow(new Stack(app, 'Two'), 'Late');
    Sluice.check(app);
    const said =
      'queue-delay: found DelaySeconds 901 seconds; allowed: 0 to 900 seconds. Choose a value in that range, or leave it out. See docs/rules.md#queue-delay';
    expect(synthesize(app).message).toBe(
      `Validation failed with the following errors:\n  [One/Slow] ${said}\n  [Two/Late] ${said}`,
    );
  });

  it('what an aspect did', () => {
    const app = newApp();
    const queue = new CfnQueue(new Stack(app, 'One'), 'Queue');
    Aspects.of(app).add({
      visit: (construct) => {
        if (construct === queue) queue.delaySeconds = 901;
      },
    });
    Sluice.check(app);
    expect(synthesize(app).errors).toEqual(['queue-delay']);
  });

  it('what a resource of no class of its own says', () => {
    const app = newApp();
    new CfnResource(new Stack(app, 'One'), 'Queue', {
      type: 'AWS::SQS::Queue',
      properties: { DelaySeconds: '901' },
    });
    Sluice.check(app);
    expect(synthesize(app).errors).toEqual(['queue-delay']);
  });

  it('once, however often it is asked', () => {
    const app = newApp();
    const stack = new Stack(app, 'One');
    slow(stack);
    lonely(stack);
    for (const scope of [app, stack, stack, app]) Sluice.check(scope);
    expect(synthesize(app).errors).toEqual(['queue-delay']);
    expect(synthesize(app).errors).toEqual(['queue-delay']);
    Sluice.silence(stack, 'queue-delay', 'The other half of the test.');
    // A second synthesis has the same findings, less what is silenced, and says no warning twice.
    expect(synthesize(app)).toMatchObject({ errors: [], warnings: ['topic-without-subscriber'] });
    expect(synthesize(app)).toMatchObject({ errors: [], warnings: ['topic-without-subscriber'] });
  });

  it('only in what it was asked for', () => {
    const app = newApp();
    slow(new Stack(app, 'One'));
    Sluice.check(new Stack(app, 'Two'));
    expect(synthesize(app).errors).toEqual([]);
  });

  it('warnings too where it is strict', () => {
    const app = newApp();
    const [one, two] = [new Stack(app, 'One'), new Stack(app, 'Two')];
    lonely(one);
    lonely(two);
    Sluice.check(app);
    Sluice.check(two, { strict: true });
    expect(synthesize(app).message.split('\n').slice(1)).toEqual([
      expect.stringMatching(
        /^ {2}\[Two\/Lonely\/Resource\] topic-without-subscriber: found no subscription; /,
      ),
    ]);
  });

  it('warnings of which a stack has many once, also where it is strict', () => {
    const app = newApp();
    const stack = new Stack(app, 'One');
    for (const id of ['A', 'B', 'C', 'D']) lonely(stack, id);
    Sluice.check(app, { strict: true });
    expect(synthesize(app).message.split('\n').slice(1)).toEqual([
      expect.stringContaining('[One] topic-without-subscriber: found no subscription at 4 places'),
    ]);
  });

  it('nothing that is never synthesized', () => {
    expect(() => Sluice.check(new Construct(new RootConstruct(), 'Alone'))).toThrow(
      'The construct "Alone" is in no App or Stage',
    );
  });
});

describe('Sluice.check warns', () => {
  it('by annotations, which the CDK’s command prints', () => {
    const app = newApp();
    lonely(new Stack(app, 'One'));
    Sluice.check(app);
    const [message] = app.synth().getStackByName('One').messages;
    expect(message).toMatchObject({ id: '/One/Lonely/Resource', level: 'warning' });
    expect(message!.entry.data).toMatch(/^topic-without-subscriber: found no subscription; .*\[ack: sluice:/);
  });

  it('once of what a stack has many of', () => {
    const app = newApp();
    const stack = new Stack(app, 'One');
    for (const id of ['A', 'B', 'C', 'D']) lonely(stack, id);
    Sluice.check(app);
    const messages = app.synth().getStackByName('One').messages;
    expect(messages).toMatchObject([{ id: '/One', level: 'warning' }]);
    expect(String(messages[0]!.entry.data)).toContain(
      'found no subscription at 4 places, such as One/A/Resource and One/B/Resource',
    );
  });
});

describe('Sluice.silence', () => {
  const [reason, rule] = ['It is drained by hand.', 'queue-delay' as const];

  it('takes an error away at its construct, and at all around it', () => {
    for (const at of ['App', 'Stack', 'Resource'] as const) {
      const app = newApp();
      const stack = new Stack(app, 'One');
      const queue = slow(stack);
      slow(new Stack(app, 'Two'));
      Sluice.silence({ App: app, Stack: stack, Resource: queue }[at], rule, reason);
      Sluice.check(app);
      expect(synthesize(app).errors).toEqual(at === 'App' ? [] : [rule]);
    }
  });

  it('takes a warning away, also one that many have', () => {
    const app = newApp();
    const stack = new Stack(app, 'One');
    for (const id of ['A', 'B', 'C', 'D']) lonely(stack, id);
    Sluice.silence(stack, 'topic-without-subscriber', reason);
    Sluice.check(app);
    expect(synthesize(app).warnings).toEqual([]);
  });

  it('takes only what it names', () => {
    const app = newApp();
    const stack = new Stack(app, 'One');
    slow(stack);
    Sluice.silence(stack, 'receive-wait', reason);
    Sluice.check(app);
    expect(synthesize(app).errors).toEqual([rule]);
  });

  it('needs a reason, and a rule that exists', () => {
    const stack = new Stack(newApp(), 'One');
    expect(() => Sluice.silence(stack, rule, ' ')).toThrow(
      '[One] silence-reason: found no reason for silencing "queue-delay"',
    );
    expect(() => Sluice.silence(stack, 'queue-dealy' as RuleId, reason)).toThrow(
      '[One] silence-reason: found the rule "queue-dealy"; allowed: an id of docs/rules.md',
    );
  });

  it('may be said with the CDK’s own words, by the same law', () => {
    const acknowledge = (id: string, why: string) => {
      const app = newApp();
      const stack = new Stack(app, 'One');
      slow(stack);
      Validations.of(stack).acknowledge({ id, reason: why });
      Sluice.check(app);
      return synthesize(app).errors;
    };
    expect(acknowledge('sluice:queue-delay', reason)).toEqual([]);
    expect(acknowledge('sluice::queue-delay', reason)).toEqual([]);
    expect(acknowledge('sluice:queue-delay', '')).toEqual(['silence-reason', rule]);
    // What is misspelt silences nothing, and is told.
    for (const id of ['queue-dealy', 'queue_delay', 'Queue-Delay', 'queue-delays'])
      expect(acknowledge(`sluice:${id}`, reason)).toEqual(['silenced-rule', rule]);
    // Other warnings of this package, and of other packages, are none of its business.
    for (const id of ['queue-redrive-policy', 'queue-owner-statement', 'noEsbuild', 'topicOwner:publish'])
      expect(acknowledge(`sluice:${id}`, '')).toEqual([rule]);
    expect(acknowledge('other:queue-delay', '')).toEqual([rule]);
  });
});

describe('Stages', () => {
  function staged() {
    const app = newApp();
    const stages = ['Dev', 'Prod'].map((id) => new Stage(app, id));
    for (const stage of stages) slow(new Stack(stage, 'One'));
    slow(new Stack(app, 'Tools'));
    return { app, stages };
  }

  it('of one app tell all their errors in one', () => {
    const { app } = staged();
    Sluice.check(app);
    const { message } = synthesize(app);
    expect([...message.matchAll(/\[(\w+(?:\/\w+)*)\] queue-delay/g)].map(([, path]) => path)).toEqual([
      'Dev/One/Slow',
      'Prod/One/Slow',
      'Tools/Slow',
    ]);
  });

  it('that are refused leave nothing to deploy, also where an earlier synthesis was sound', () => {
    const outdir = mkdtempSync(join(tmpdir(), 'sluice-stages-'));
    const staged = (delaySeconds: number) => {
      const app = new App({ analyticsReporting: false, outdir });
      for (const id of ['Dev', 'Prod'])
        new CfnQueue(new Stack(new Stage(app, id), 'One'), 'Queue', {
          delaySeconds: id === 'Dev' ? 0 : delaySeconds,
        });
      Sluice.check(app);
      return app;
    };
    staged(0).synth();
    expect(() => staged(901).synth()).toThrow('[Prod/One/Queue] queue-delay');
    expect(existsSync(join(outdir, 'assembly-Dev', 'manifest.json'))).toBe(true);
    expect(() => new CloudAssembly(outdir).getNestedAssembly('assembly-Prod').stacks).toThrow('ENOENT');
    rmSync(outdir, { recursive: true });
  });

  it('tell their own when they are synthesized by themselves, as pipelines do', () => {
    const { app, stages } = staged();
    Sluice.check(app);
    expect(() => stages[0]!.synth()).toThrow(/\[Dev\/One\/Slow\] queue-delay/);
  });

  it('are judged where only a stack in them asks', () => {
    const { app, stages } = staged();
    Sluice.check(stages[1]!.node.findChild('One'));
    expect(synthesize(app).message).toMatch(/\[Prod\/One\/Slow\] queue-delay/);
    expect(synthesize(app).errors).toEqual(['queue-delay']);
  });

  it('are judged although they were added after the check was asked for', () => {
    const app = newApp();
    Sluice.check(app);
    slow(new Stack(new Stage(app, 'Late'), 'One'));
    expect(synthesize(app).message).toContain('[Late/One/Slow] queue-delay');
  });

  it('print their warnings', () => {
    const app = newApp();
    lonely(new Stack(new Stage(app, 'Dev'), 'One'));
    Sluice.check(app);
    const assembly = app.synth();
    const messages = assembly.nestedAssemblies.flatMap(({ nestedAssembly }) =>
      nestedAssembly.stacks.flatMap((stack) => stack.messages),
    );
    expect(messages).toMatchObject([{ id: '/Dev/One/Lonely/Resource', level: 'warning' }]);
  });
});

describe('References are followed', () => {
  /** A dead-letter queue in one stack whose source, in another, keeps messages for longer. */
  const deadLetters = (of: Stack, from: Stack) =>
    new Queue(from, 'Queue', {
      retentionPeriod: Duration.days(5),
      deadLetterQueue: { queue: new Queue(of, 'DeadLetters'), maxReceiveCount: 10 },
    });

  it.each(['weak', 'strong', undefined])('from stack to stack, by exports that are %s', (strength) => {
    const app = newApp(
      strength === undefined ? {} : { '@aws-cdk/core:defaultCrossStackReferences': strength },
    );
    deadLetters(new Stack(app, 'One'), new Stack(app, 'Two'));
    Sluice.check(app);
    expect(synthesize(app).message).toMatch(/\[One\/DeadLetters\/Resource\] dead-letter-retention/);
  });

  it('into nested stacks, and out of them', () => {
    for (const into of [true, false]) {
      const app = newApp();
      const outer = new Stack(app, 'One');
      const inner = new NestedStack(outer, 'Inner');
      if (into) deadLetters(outer, inner);
      else deadLetters(inner, outer);
      Sluice.check(app);
      expect(synthesize(app).errors).toEqual(['dead-letter-retention']);
    }
  });

  it('by name, in one place', () => {
    const env = { account: '111111111111', region: 'eu-west-1' };
    const judge = (arn: string) => {
      const app = newApp();
      const stack = new Stack(app, 'One', { env });
      new CfnQueue(stack, 'DeadLetters', { queueName: 'dead' });
      new CfnQueue(stack, 'Queue', {
        messageRetentionPeriod: 1_209_600,
        redrivePolicy: { deadLetterTargetArn: arn, maxReceiveCount: 10 },
      });
      Sluice.check(app);
      return synthesize(app).errors;
    };
    expect(judge('arn:aws:sqs:eu-west-1:111111111111:dead')).toEqual(['dead-letter-retention']);
    // Somebody else's queue has a retention that nobody knows here.
    expect(judge('arn:aws:sqs:eu-west-1:222222222222:dead')).toEqual([]);
    expect(judge('arn:aws:sqs:us-east-1:111111111111:dead')).toEqual([]);
    expect(judge('arn:aws:sqs:eu-west-1:111111111111:deader')).toEqual([]);
  });
});

describe('What only the deployment knows is no fault', () => {
  it('parameters, imports and what is lazy', () => {
    const app = newApp();
    const stack = new Stack(app, 'One');
    const parameter = new CfnParameter(stack, 'Seconds', { type: 'Number' });
    const imported = new CfnParameter(stack, 'ImportedArn');
    const queue = new Queue(stack, 'Queue', {
      queueName: Lazy.string({ produce: () => 'lazy' }),
      deadLetterQueue: {
        queue: Queue.fromQueueArn(stack, 'Imported', imported.valueAsString),
        maxReceiveCount: Token.asNumber(parameter.value),
      },
      encryptionMasterKey: Key.fromKeyArn(
        stack,
        'Key',
        'arn:aws:kms:eu-west-1:222222222222:key/11111111-1111-1111-1111-111111111111',
      ),
    });
    const resource = queue.node.defaultChild as CfnQueue;
    resource.delaySeconds = parameter.valueAsNumber;
    resource.visibilityTimeout = Lazy.number({ produce: () => 30 });
    const topic = Topic.fromTopicArn(stack, 'Topic', 'arn:aws:sns:eu-west-1:222222222222:orders');
    topic.addSubscription(
      new SqsSubscription(queue, {
        deadLetterQueue: Queue.fromQueueArn(stack, 'Lost', 'arn:aws:sqs:eu-west-1:222222222222:lost'),
      }),
    );
    Sluice.check(app);
    expect(synthesize(app)).toEqual({ errors: [], warnings: [], message: '' });
  });
});
