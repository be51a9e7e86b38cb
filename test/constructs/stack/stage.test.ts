import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { MessagingStackProps } from 'sluice/cdk';
import { describe, expect, it, test } from 'vitest';
import { type shop, shopStack } from '../fixtures/shop.ts';
import { type Found, idsOf, resourcesOf, the } from './templates.ts';

const notBundled = { 'aws:cdk:bundling-stacks': [] };

const made = (props: Partial<MessagingStackProps<typeof shop>>, context: object = {}) => {
  const { stack } = shopStack(props, { context: { ...notBundled, ...context } });
  return { stack, resources: resourcesOf(stack) };
};

/** What would outlive the stack, or its own replacement. */
const keptBy = (resources: readonly Found[]): string[] =>
  idsOf(resources.filter(({ DeletionPolicy }) => DeletionPolicy?.startsWith('Retain')));

const table = (resources: readonly Found[]) => the(resources, 'RecordsTable').Properties;

const deadLetterQueues = ['Payments', 'Analytics', 'StockMail'].flatMap((name) => [
  `${name}SubscriberDeadLetterQueue`,
  `${name}SubscriberSubscriptionDeadLetterQueue`,
]);
const logs = ['Payments', 'Analytics', 'StockMail'].map((name) => `${name}SubscriberConsumerLogGroup`);

describe('A stack is careful with what it holds unless it is told otherwise', () => {
  const { stack, resources } = made({ encryption: 'customerKey' });

  it('keeps the table, the dead-letter queues, the logs and the key', () => {
    expect(stack.stage).toBe('prod');
    const kept = ['RecordsTable', 'EncryptionKey', ...deadLetterQueues, ...logs];
    expect(keptBy(resources)).toEqual(kept.sort());
    for (const { DeletionPolicy, UpdateReplacePolicy } of resources)
      if (DeletionPolicy?.startsWith('Retain')) expect(UpdateReplacePolicy).toBe('Retain');
  });

  it('but not what a deployment made that is taken back, the protected table apart', () => {
    for (const { id, DeletionPolicy } of resources)
      if (DeletionPolicy?.startsWith('Retain'))
        expect([id, DeletionPolicy]).toEqual([
          id,
          id.startsWith('RecordsTable') ? 'Retain' : 'RetainExceptOnCreate',
        ]);
  });

  it('can be restored, and is protected from deletion', () => {
    expect(stack.terminationProtection).toBe(true);
    expect(table(resources)).toMatchObject({
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
  });

  it('keeps logs for three months', () => {
    expect(the(resources, 'PaymentsSubscriberConsumerLogGroup').Properties).toMatchObject({
      RetentionInDays: 90,
    });
  });
});

describe('A stack for development comes and goes', () => {
  const { stack, resources } = made({ stage: 'dev', encryption: 'customerKey' });

  it('leaves nothing behind', () => {
    expect(keptBy(resources)).toEqual([]);
    for (const name of ['RecordsTable', 'EncryptionKey', ...deadLetterQueues, ...logs])
      expect(the(resources, name).DeletionPolicy, name).toBe('Delete');
  });

  it('is protected from nothing', () => {
    expect(stack.terminationProtection).toBe(false);
    expect(table(resources)).toMatchObject({
      DeletionProtectionEnabled: false,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
    });
  });

  it('keeps logs for a week', () => {
    expect(the(resources, 'PaymentsSubscriberConsumerLogGroup').Properties).toMatchObject({
      RetentionInDays: 7,
    });
  });

  it('has the same resources under the same ids', () => {
    expect(idsOf(resources)).toEqual(idsOf(made({ encryption: 'customerKey' }).resources));
  });
});

describe('The stage is one switch', () => {
  it('of the context, which wins over the prop', () => {
    expect(made({ stage: 'prod' }, { 'sluice:stage': 'dev' }).stack.stage).toBe('dev');
    expect(made({}, { 'sluice:stage': 'dev' }).stack.terminationProtection).toBe(false);
  });

  it('with two positions', () => {
    expect(() => made({}, { 'sluice:stage': 'test' })).toThrow(
      'The context "sluice:stage" is "test"; allowed are "prod", "dev".',
    );
    expect(() => made({ stage: 'staging' as 'dev' })).toThrow('The prop "stage" is "staging"');
  });
});

describe('Single props override the stage', () => {
  test('careful in part', () => {
    const { stack, resources } = made({
      stage: 'dev',
      terminationProtection: true,
      deadLetterRemovalPolicy: RemovalPolicy.RETAIN,
      pointInTimeRecovery: true,
      deletionProtection: true,
      logRetention: RetentionDays.ONE_YEAR,
    });
    expect(stack.terminationProtection).toBe(true);
    expect(keptBy(resources)).toEqual(deadLetterQueues.toSorted());
    expect(table(resources)).toMatchObject({
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
    expect(the(resources, 'PaymentsSubscriberConsumerLogGroup').Properties).toMatchObject({
      RetentionInDays: 365,
    });
  });

  test('careless in part', () => {
    const { stack, resources } = made({
      terminationProtection: false,
      encryption: 'customerKey',
      recordsRemovalPolicy: RemovalPolicy.DESTROY,
      deadLetterRemovalPolicy: RemovalPolicy.DESTROY,
      keyRemovalPolicy: RemovalPolicy.DESTROY,
      logRemovalPolicy: RemovalPolicy.DESTROY,
      pointInTimeRecovery: false,
    });
    expect(stack.terminationProtection).toBe(false);
    expect(keptBy(resources)).toEqual([]);
    expect(table(resources)).toMatchObject({
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
    });
  });

  test('a table that is to go is not protected from it, unless that is asked for', () => {
    const gone = { recordsRemovalPolicy: RemovalPolicy.DESTROY };
    expect(table(made(gone).resources)).toMatchObject({ DeletionProtectionEnabled: false });
    expect(table(made({ ...gone, deletionProtection: true }).resources)).toMatchObject({
      DeletionProtectionEnabled: true,
    });
  });
});
