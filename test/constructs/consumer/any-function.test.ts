import { Duration, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import {
  Alias,
  Code,
  type IFunction,
  type IVersion,
  Function as LambdaFunction,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { Consumer, ConsumerFunction } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';
import { allowedIn, propertiesOf, resourcesOf, workplace } from './support.ts';

const python = (scope: Construct, id = 'Python', functionName?: string) =>
  new LambdaFunction(scope, id, {
    ...(functionName === undefined ? {} : { functionName }),
    runtime: Runtime.PYTHON_3_13,
    handler: 'index.handler',
    code: Code.fromInline('def handler(event, context): return {}'),
  });

const variables = { SLUICE_RECORDS_TABLE: expect.anything(), SLUICE_QUEUE_URL: expect.anything() };

describe('A function of any make consumes', () => {
  it('with the event source that the declaration asks for, and the variables of the runtime', () => {
    const { stack, bind } = workplace();
    const binding = bind(Consumer.fromFunction(python(stack)));
    expect(propertiesOf(stack, 'AWS::Lambda::EventSourceMapping')).toEqual([
      {
        BatchSize: 100,
        EventSourceArn: expect.anything(),
        FunctionName: expect.anything(),
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        MaximumBatchingWindowInSeconds: 2,
        ScalingConfig: { MaximumConcurrency: 10 },
      },
    ]);
    const [{ Environment }] = propertiesOf(stack, 'AWS::Lambda::Function') as [{ Environment: object }];
    expect(Environment).toMatchObject({ Variables: { STAGE: 'test', ...variables } });
    expect(binding.functionName).toBeDefined();
    expect(binding.logGroup).toBeUndefined();
  });

  it('with the same permissions as one of the stack, its log apart', () => {
    const own = workplace();
    own.bind();
    const given = workplace();
    given.bind(Consumer.fromFunction(python(given.stack)));
    expect(allowedIn(given.stack)).toEqual(allowedIn(own.stack).filter((line) => !line.startsWith('logs:')));
    expect(allowedIn(given.stack).length).toBeGreaterThan(8);
  });

  it('after its role has them: Lambda asks at once whether it may receive', () => {
    const { stack, bind } = workplace();
    bind(Consumer.fromFunction(python(stack)));
    const resources = resourcesOf(stack);
    const source = Object.values(resources).find(({ Type }) => Type === 'AWS::Lambda::EventSourceMapping')!;
    const policy = Object.keys(resources).find((id) => resources[id]!.Type === 'AWS::IAM::Policy');
    expect(source.DependsOn).toContain(policy);
  });

  it('by its alias: the alias consumes, what is behind it gets variables and is watched', () => {
    const { stack, bind } = workplace();
    const plain = python(stack);
    // The CDK's own types of aliases and versions do not stand `exactOptionalPropertyTypes`.
    const version = plain.currentVersion as IVersion;
    const live = new Alias(stack, 'Live', { aliasName: 'live', version }) as IFunction;
    const binding = bind(Consumer.fromFunction(live));
    const [{ FunctionName }] = propertiesOf(stack, 'AWS::Lambda::EventSourceMapping') as [
      { FunctionName: object },
    ];
    expect(JSON.stringify(FunctionName)).toContain('Live');
    const [{ Environment }] = propertiesOf(stack, 'AWS::Lambda::Function') as [{ Environment: object }];
    expect(Environment).toMatchObject({ Variables: variables });
    expect(stack.resolve(binding.functionName)).toEqual(stack.resolve(plain.functionName));
  });

  it('of another stack, without either stack waiting for the other', () => {
    const { app, stack, bind } = workplace();
    const functions = new Stack(app, 'Functions');
    const { functionName } = bind(Consumer.fromFunction(python(functions)));
    expect(propertiesOf(functions, 'AWS::Lambda::EventSourceMapping')).toHaveLength(1);
    expect(propertiesOf(stack, 'AWS::Lambda::EventSourceMapping')).toEqual([]);
    expect(functions.dependencies).toContain(stack);
    expect(stack.dependencies).toEqual([]);
    // CloudFormation chooses its name in the other stack: no alarm of this one can say it.
    expect(functionName).toBeUndefined();
  });

  it('of another stack under a name of its own: that name is watched', () => {
    const { app, bind } = workplace();
    const functions = new Stack(app, 'Functions');
    expect(bind(Consumer.fromFunction(python(functions, 'Python', 'charge'))).functionName).toBe('charge');
  });

  it('made in the subscriber’s own stack', () => {
    const { stack, bind } = workplace();
    const { functionName } = bind(Consumer.fromFunction((scope) => python(scope)));
    expect(functionName).toBeDefined();
    expect(Object.keys(resourcesOf(stack))).toContainEqual(
      expect.stringMatching(/^ProvidedPython[0-9A-F]{8}$/),
    );
  });

  it('and uses the keys of its queues as far as SQS does in its name', () => {
    const { stack, bind } = workplace();
    const [queue, deadLetterQueue] = ['Q', 'D'].map(
      (id) => new Queue(stack, id, { encryptionMasterKey: new Key(stack, `${id}Key`) }),
    ) as [Queue, Queue];
    bind(Consumer.fromFunction(python(stack)), { queue, deadLetterQueue });
    const keys = allowedIn(stack).filter((line) => line.startsWith('kms:'));
    expect(keys.map((line) => line.replace(/"(\w+Key)[0-9A-F]{8}"/, '$1'))).toEqual([
      'kms:Decrypt {"Fn::GetAtt":[QKey,"Arn"]}',
      'kms:Decrypt {"Fn::GetAtt":[DKey,"Arn"]}',
      'kms:GenerateDataKey {"Fn::GetAtt":[DKey,"Arn"]}',
    ]);
  });

  it('not when the consumers are workers: it gets no event source and no permission', () => {
    const { stack, bind } = workplace();
    const given = python(stack);
    bind(Consumer.fromFunction(given), { consumers: 'worker' });
    bind(
      Consumer.fromFunction((scope) => python(scope, 'Made')),
      { consumers: 'worker', ...{} },
    );
    expect(propertiesOf(stack, 'AWS::Lambda::EventSourceMapping')).toEqual([]);
    expect(propertiesOf(stack, 'AWS::Lambda::Function')).toHaveLength(1);
    expect(allowedIn(stack)).toEqual([]);
  });
});

describe('A function consumes one queue', () => {
  it('since its environment names one: a second is refused, behind an alias too', () => {
    const { stack, place, bind } = workplace();
    const plain = python(stack);
    bind(Consumer.fromFunction(plain));
    const live = new Alias(stack, 'Live', { aliasName: 'live', version: plain.currentVersion as IVersion });
    expect(() => new ConsumerFunction(stack, 'Other', { ...place, function: live as IFunction })).toThrow(
      'The function Shop/Python is to consume for Shop/Other, and consumes for Shop/Consumer already; allowed is one queue',
    );
  });
});

const arn = 'arn:aws:lambda:eu-west-1:111122223333:function:charge';

describe('A function that was imported', () => {
  const warnings = (stack: Stack) =>
    Annotations.fromStack(stack)
      .findWarning('*', Match.anyValue())
      .map(({ entry }) => String(entry.data));

  it('by its ARN alone: who owns it is told which statements and variables it needs', () => {
    const { stack, bind } = workplace();
    const { functionName, role } = bind(
      Consumer.fromFunction(LambdaFunction.fromFunctionArn(stack, 'Charge', arn)),
    );
    expect(functionName).toBe('charge');
    expect(role).toBeUndefined();
    expect(propertiesOf(stack, 'AWS::Lambda::EventSourceMapping')).toHaveLength(1);
    const [warning, ...more] = warnings(stack);
    expect(more).toEqual([]);
    for (const each of [
      arn,
      'sqs:ReceiveMessage',
      'sqs:SendMessage',
      'dynamodb:PartiQLUpdate',
      'STAGE',
      'SLUICE_',
    ])
      expect(warning).toContain(each);
    expect(warning).toContain('pass "role" to Function.fromFunctionAttributes');
  });

  it('with its role: the permissions are added, the variables are told', () => {
    const { stack, bind } = workplace();
    const role = Role.fromRoleArn(stack, 'Role', 'arn:aws:iam::111122223333:role/charge');
    bind(
      Consumer.fromFunction(
        LambdaFunction.fromFunctionAttributes(stack, 'Charge', { functionArn: arn, role }),
      ),
    );
    expect(allowedIn(stack)).toContainEqual(expect.stringMatching(/^sqs:ReceiveMessage/));
    const [warning, ...more] = warnings(stack);
    expect(more).toEqual([]);
    expect(warning).toContain('SLUICE_');
    expect(warning).not.toContain('sqs:ReceiveMessage');
  });

  it('a variable that is set later is told too', () => {
    const { stack, bind } = workplace();
    bind(Consumer.fromFunction(LambdaFunction.fromFunctionArn(stack, 'Charge', arn))).addEnvironment(
      'URL',
      'x',
    );
    expect(warnings(stack).at(-1)).toContain('{"URL":"x"}');
    expect(warnings(stack)).toHaveLength(2);
  });
});

describe('A consumer function stands alone', () => {
  it('refuses what is neither a file nor a function, and what is both', () => {
    const { stack, place } = workplace();
    expect(() => new ConsumerFunction(stack, 'None', place)).toThrow(
      'Shop/None has neither "entry" nor "function"; allowed is one of them.',
    );
    expect(
      () => new ConsumerFunction(stack, 'Both', { ...place, entry: 'a.ts', function: python(stack) }),
    ).toThrow('Shop/Both has both "entry" and "function"');
  });

  it('refuses for a function that exists what only its maker can set', () => {
    const { stack, place } = workplace();
    expect(
      () =>
        new ConsumerFunction(stack, 'Consumer', {
          ...place,
          function: python(stack),
          timeout: Duration.seconds(5),
          functionName: 'charge',
        }),
    ).toThrow('Shop/Consumer is given a function that exists, and "functionName", "timeout"');
  });
});
