import type { StackProps } from 'aws-cdk-lib';
import type { AnyProps } from './check-props.ts';
import type { SubscriberOptions } from './stack-props.ts';

type Names<Props> = Readonly<Record<keyof Props, true>>;

const ofStack = {
  messaging: true,
  handlers: true,
  stage: true,
  topics: true,
  topicKeys: true,
  only: true,
  records: true,
  subscribers: true,
  encryption: true,
  encryptionKey: true,
  alarmTopic: true,
  ticketTopic: true,
  alarmEmails: true,
  runbook: true,
  recordsTableName: true,
  recordsRemovalPolicy: true,
  deadLetterRemovalPolicy: true,
  keyRemovalPolicy: true,
  logRemovalPolicy: true,
  logRetention: true,
  pointInTimeRecovery: true,
  deletionProtection: true,
  environment: true,
  vpc: true,
  vpcSubnets: true,
  securityGroups: true,
  dashboardName: true,
  bundling: true,
  depsLockFilePath: true,
  consumers: true,
  alarms: true,
} satisfies Names<Omit<AnyProps, keyof StackProps>>;

const ofSubscriber = {
  queue: true,
  deadLetterQueue: true,
  subscriptionDeadLetterQueue: true,
  consumer: true,
  environment: true,
  vpc: true,
  vpcSubnets: true,
  securityGroups: true,
} satisfies Names<SubscriberOptions>;

/** What a stack of the CDK takes (CDK 2.276). */
const ofCdk = [
  ...['analyticsReporting', 'crossRegionReferences', 'description', 'env', 'notificationArns'],
  ...['permissionsBoundary', 'propertyInjectors', 'stackName', 'suppressTemplateIndentation'],
  ...['synthesizer', 'tags', 'terminationProtection'],
];

/** The props of a messaging stack, as far as they are not those of every stack. */
export const stackPropNames: readonly string[] = Object.keys(ofStack);

/** The props of a stack of the CDK; a later version may have more. */
export const cdkPropNames: readonly string[] = ofCdk;

/** What is said of one subscriber. */
export const subscriberOptionNames: readonly string[] = Object.keys(ofSubscriber);

/** What the context says to a messaging stack. */
export const contextNames: readonly string[] = ['sluice:stage', 'sluice:consumers', 'sluice:alarms'];
