export {
  type Clock,
  days,
  hours,
  type Milliseconds,
  milliseconds,
  minutes,
  type Random,
  type Seconds,
  seconds,
  type Timer,
} from '../base/index.ts';
export { defineMessaging, type MessagingDeclaration } from './define.ts';
export { environment, metricsNamespace, recordsTable, typeAttribute } from './environment.ts';
export { DeclarationError, type DeclarationFault } from './errors.ts';
export { type CloudEvent, type EventDefinition, event } from './event.ts';
export type {
  AlarmProfile,
  BackoffDeclaration,
  Effects,
  EffectsOf,
  EventData,
  EventDefinitions,
  EventFor,
  EventInput,
  EventName,
  EventOf,
  Messaging,
  Subscriber,
  SubscriberDeclaration,
  SubscriberName,
  Subscription,
  Topic,
  TopicDeclaration,
} from './types.ts';
