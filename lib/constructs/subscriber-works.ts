import { join } from 'node:path';
import { findLockFile } from './bundling.ts';
import type { AnyProps } from './check-props.ts';
import { Consumer } from './consumer.ts';
import type { HandlerFunctionOptions } from './handler-function.ts';
import type { Held } from './held.ts';
import type { Keys } from './keys.ts';
import type { SubscriberOptions } from './stack-props.ts';
import type { StageSettings } from './stage.ts';
import type { MessagingSubscriberProps } from './subscriber.ts';
import type { Consumers } from './switches.ts';

/** What a stack has decided before it makes its subscribers. */
interface Decided {
  readonly held: Held;
  readonly keys: Keys;
  readonly settings: StageSettings;
  readonly consumers: Consumers;
}

/** A subscriber before its topic, its records and its alarms are there. */
export type Work = Omit<MessagingSubscriberProps, 'topic' | 'records'> & { readonly consumer: Consumer };

/** The subscribers of a stack as the stack's props and those of each say. */
export function worksOf(props: AnyProps, { held, keys, settings, consumers }: Decided): Work[] {
  const common: HandlerFunctionOptions = {
    logRetention: settings.logRetention,
    logRemovalPolicy: settings.logRemovalPolicy,
    bundling: props.bundling,
    depsLockFilePath: props.depsLockFilePath ?? findLockFile(props.handlers),
  };
  return held.subscribers.map((definition) => {
    const options = props.subscribers?.[definition.name] ?? {};
    const encryptionKey = keys.subscriber(definition.name);
    return {
      definition,
      entry: join(props.handlers, definition.handler),
      queue: options.queue,
      deadLetterQueue: options.deadLetterQueue,
      subscriptionDeadLetterQueue: options.subscriptionDeadLetterQueue,
      consumer: options.consumer ?? Consumer.nodejs(),
      environment: { ...props.environment, ...options.environment },
      functionOptions: { ...common, ...networkOf(props, options), encryptionKey },
      encryptionKey,
      deadLetterRemovalPolicy: settings.deadLetterRemovalPolicy,
      consumers,
    };
  });
}

/** The stack's network, or the subscriber's own: then nothing of the stack's fits it. */
function networkOf(stack: AnyProps, own: SubscriberOptions): HandlerFunctionOptions {
  const base = own.vpc === undefined ? stack : own;
  return {
    vpc: base.vpc,
    vpcSubnets: own.vpcSubnets ?? base.vpcSubnets,
    securityGroups: own.securityGroups ?? base.securityGroups,
  };
}
