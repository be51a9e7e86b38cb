import { Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { correction, nearest } from '../base/index.ts';
import { environment as runtime } from '../topology/index.ts';
import type { AnyProps, Report } from './check-props.ts';
import { cdkPropNames, contextNames, stackPropNames, subscriberOptionNames } from './prop-names.ts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const shown = (value: unknown): string =>
  isObject(value)
    ? 'an object'
    : typeof value === 'function'
      ? 'a function'
      : (JSON.stringify(value) ?? 'undefined');

const noProp = 'a prop that means nothing here';

/**
 * Whether the props can be read at all. An app is often run without a look at its types, and what is misspelt would be a
 * silent default: no key, no address, a stage that was not meant.
 */
export function checkShape(props: AnyProps, report: Report, scope?: IConstruct): boolean {
  checkNames(props, report);
  checkContext(scope, report);
  checkRunbook(props.runbook, report);
  checkEnvironment('environment', props.environment, report);
  const faults = [...ofDeclaration(props.messaging), ...ofKinds(props), ...ofSubscribers(props.subscribers)];
  for (const fault of faults) report(...fault);
  return faults.length === 0;
}

/** Later versions of the CDK know props that this one does not: only what is near to a known one is a slip. */
function checkNames(props: AnyProps, report: Report): void {
  const known = [...stackPropNames, ...cdkPropNames];
  for (const name of Object.keys(props))
    if (!known.includes(name) && nearest(name, known) !== undefined)
      report(name, noProp, stackPropNames.join(', '), correction(name, known));
  for (const [subscriber, options] of Object.entries(isObject(props.subscribers) ? props.subscribers : {})) {
    for (const name of Object.keys(isObject(options) ? options : {}))
      if (!subscriberOptionNames.includes(name))
        report(
          `subscribers.${subscriber}.${name}`,
          noProp,
          subscriberOptionNames.join(', '),
          correction(name, subscriberOptionNames),
        );
    if (isObject(options))
      checkEnvironment(`subscribers.${subscriber}.environment`, options.environment, report);
  }
}

/** `-c sluice:stge=dev` would deploy what is meant for production. */
function checkContext(scope: IConstruct | undefined, report: Report): void {
  for (const key of Object.keys((scope?.node.getAllContext() as object | undefined) ?? {}))
    if (key.startsWith('sluice:') && !contextNames.includes(key))
      report(
        `context ${key}`,
        'a name that means nothing',
        contextNames.join(', '),
        correction(key, contextNames),
      );
}

/** Alarms put the anchor of their section behind it. */
function checkRunbook(runbook: unknown, report: Report): void {
  if (runbook === undefined || Token.isUnresolved(runbook)) return;
  if (typeof runbook !== 'string' || !/^[^\s#]+$/.test(runbook))
    report(
      'runbook',
      shown(runbook),
      'an address without anchor and spaces, such as https://wiki.example.com/watch',
      'Correct it: alarms add the anchor of their section.',
    );
}

const ofRuntime: readonly string[] = [runtime.recordsTable, runtime.queueUrl, runtime.deadLetterQueueUrl];

function checkEnvironment(path: string, variables: unknown, report: Report): void {
  if (variables === undefined) return;
  if (!isObject(variables)) {
    report(path, shown(variables), 'an object of strings', 'Write { NAME: "value" }.');
    return;
  }
  for (const [name, value] of Object.entries(variables)) {
    if (typeof value !== 'string')
      report(`${path}.${name}`, shown(value), 'a string', 'Write it as text: variables are nothing else.');
    // Lambda API reference, "Environment".
    if (!/^[A-Za-z][A-Za-z0-9_]+$/.test(name))
      report(`${path}.${name}`, `"${name}"`, 'a letter, then letters, digits and underscores', 'Rename it.');
    if (ofRuntime.includes(name))
      report(`${path}.${name}`, 'a value', 'nothing, since the stack sets it', 'Leave it out.');
  }
}

type Fault = Parameters<Report>;

/** What `defineMessaging` was not asked about has none of what it computes. */
function ofDeclaration(messaging: unknown): Fault[] {
  const subscribers = isObject(messaging) ? messaging.subscribers : undefined;
  const topics = isObject(messaging) ? messaging.topics : undefined;
  const defined =
    isObject(topics) &&
    isObject(subscribers) &&
    Object.values(topics).every((topic) => isObject(topic) && Array.isArray(topic.subscribers)) &&
    Object.values(subscribers).every((each) => isObject(each) && typeof each.visibilityTimeout === 'number');
  if (defined) return [];
  const found = isObject(messaging) ? 'an object that defineMessaging did not make' : shown(messaging);
  return [
    ['messaging', found, 'what defineMessaging returns', 'Hand the declaration to defineMessaging first.'],
  ];
}

/** Props that would be read as something else, or not at all. */
function ofKinds(props: AnyProps): Fault[] {
  const faults: Fault[] = [];
  if (typeof props.handlers !== 'string' || props.handlers === '')
    faults.push([
      'handlers',
      shown(props.handlers),
      'the path of a folder',
      'Name the folder of the handlers.',
    ]);
  for (const name of ['only', 'alarmEmails'] as const) {
    const value: unknown = props[name];
    if (value !== undefined && !(Array.isArray(value) && value.every((each) => typeof each === 'string')))
      faults.push([name, shown(value), 'a list of strings', `Write ${name}: ['...'].`]);
  }
  if (Array.isArray(props.alarmEmails) && props.alarmEmails.length === 0)
    faults.push([
      'alarmEmails',
      'an empty list: a topic that nobody hears',
      'at least one address',
      'Say who is on call, or leave it out.',
    ]);
  for (const name of ['topics', 'topicKeys', 'subscribers'] as const) {
    const value: unknown = props[name];
    if (value !== undefined && !isObject(value))
      faults.push([name, shown(value), 'an object, by name', `Write ${name}: { name: ... }.`]);
  }
  for (const name of ['topics', 'topicKeys'] as const)
    for (const [each, value] of Object.entries(isObject(props[name]) ? props[name] : {}))
      if (!isObject(value))
        faults.push([
          `${name}.${each}`,
          shown(value),
          'a construct of the CDK',
          'Give it, or leave the name out.',
        ]);
  return faults;
}

function ofSubscribers(subscribers: unknown): Fault[] {
  return Object.entries(isObject(subscribers) ? subscribers : {}).flatMap(([name, options]): Fault[] => {
    if (options === undefined) return [];
    const path = `subscribers.${name}`;
    if (!isObject(options)) return [[path, shown(options), 'an object', 'Write { consumer } and the like.']];
    const { consumer } = options;
    if (consumer === undefined || (isObject(consumer) && typeof consumer.bind === 'function')) return [];
    return [
      [
        `${path}.consumer`,
        shown(consumer),
        'a Consumer',
        'Wrap it: Consumer.fromFunction(...) and the like.',
      ],
    ];
  });
}
