import { Stack } from 'aws-cdk-lib';
import { ContainerImage, FargateTaskDefinition } from 'aws-cdk-lib/aws-ecs';
import type { Construct } from 'constructs';
import { Consumer } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';
import { allowedIn, propertiesOf, resourcesOf, workplace } from './support.ts';

interface Container {
  readonly Name: string;
  readonly Environment?: readonly { readonly Name: string; readonly Value: unknown }[];
}

const task = (scope: Construct, ...names: string[]) => {
  const made = new FargateTaskDefinition(scope, 'Task');
  for (const name of names) made.addContainer(name, { image: ContainerImage.fromRegistry('worker') });
  return made;
};

const variablesOf = (stack: Stack): Record<string, string[]> => {
  const [definition] = propertiesOf(stack, 'AWS::ECS::TaskDefinition') as [
    { ContainerDefinitions: readonly Container[] },
  ];
  return Object.fromEntries(
    definition.ContainerDefinitions.map(({ Name, Environment = [] }) => [
      Name,
      Environment.map((variable) => variable.Name),
    ]),
  );
};

const all = ['STAGE', 'SLUICE_RECORDS_TABLE', 'SLUICE_QUEUE_URL', 'SLUICE_DEAD_LETTER_QUEUE_URL'];

describe('A container consumes', () => {
  it('with the permissions of a function, its log apart, on the task’s role', () => {
    const own = workplace();
    own.bind();
    const { stack, bind } = workplace();
    const { grantee, role } = bind(Consumer.container(task(stack, 'worker')));
    expect(allowedIn(stack)).toEqual(allowedIn(own.stack).filter((line) => !line.startsWith('logs:')));
    expect(grantee.grantPrincipal).toBe(role?.grantPrincipal);
  });

  it('knows from its environment where: the default container, or the one that is named', () => {
    const first = workplace();
    first.bind(Consumer.container(task(first.stack, 'worker', 'proxy'))).addEnvironment('URL', 'x');
    expect(variablesOf(first.stack)).toEqual({ worker: [...all, 'URL'], proxy: [] });
    const named = workplace();
    named.bind(Consumer.container(task(named.stack, 'proxy', 'worker'), 'worker'));
    expect(variablesOf(named.stack)).toEqual({ proxy: [], worker: all });
  });

  it('without event source, function, log, and without anything that Lambda counts', () => {
    const { stack, bind } = workplace();
    const binding = bind(Consumer.container(task(stack, 'worker')));
    expect(binding).toMatchObject({ grantee: expect.anything(), role: expect.anything() });
    for (const none of ['function', 'functionName', 'logGroup', 'eventSource'] as const)
      expect(binding[none]).toBeUndefined();
    const types = new Set(Object.values(resourcesOf(stack)).map(({ Type }) => Type));
    expect([...types].filter((type) => /Lambda|Logs/.test(type))).toEqual([]);
  });

  it('of another stack, without either stack waiting for the other', () => {
    const { app, stack, bind } = workplace();
    const services = new Stack(app, 'Services');
    bind(Consumer.container(task(services, 'worker')));
    expect(variablesOf(services)).toEqual({ worker: all });
    expect(services.dependencies).toContain(stack);
    expect(stack.dependencies).toEqual([]);
  });

  it('made in the subscriber’s own stack', () => {
    const { stack, bind } = workplace();
    bind(Consumer.container((scope) => task(scope, 'worker')));
    expect(variablesOf(stack)).toEqual({ worker: all });
  });

  it('when the consumers are workers too: it is one', () => {
    const { stack, bind } = workplace();
    bind(Consumer.container(task(stack, 'worker')), { consumers: 'worker' });
    expect(variablesOf(stack)).toEqual({ worker: all });
  });

  it('or is refused when the task has no such container', () => {
    const { stack, bind } = workplace();
    expect(() => bind(Consumer.container(task(stack)))).toThrow(
      'The task definition Shop/Task, which is to consume for "analytics", has no container. Add it before the subscriber is made.',
    );
    const other = workplace();
    expect(() => other.bind(Consumer.container(task(other.stack, 'worker'), 'wroker'))).toThrow(
      'has no container "wroker". Add it before the subscriber is made, or name one that it has.',
    );
  });

  it('of one queue: a second subscriber of the same container is refused', () => {
    const { stack, bind, work } = workplace();
    const consumer = Consumer.container(task(stack, 'worker'));
    bind(consumer);
    expect(() => consumer.bind(new Stack(stack, 'Second'), work)).toThrow(
      'The container "worker" of Shop/Task is to consume for Shop/Second, and consumes for Shop already',
    );
  });
});
