import type { StackTemplate } from './template.ts';
import { isList, isReference, type Resource, type Value } from './value.ts';

/** Stands for what only the deployment knows, and is the same wherever it is meant: a part of an ARN, so without colons. */
export const pseudo = (name: string): string => `\${${name.slice('AWS::'.length)}}`;

type StackOf = (resource: Resource) => StackTemplate;

/** The parts as one text; a single reference stays one, anything unknown makes the whole unknown but what is JSON. */
export function join(parts: Value, separator: string, stackOf: StackOf): Value {
  if (!isList(parts)) return undefined;
  const said = separator === '' ? parts.filter((part) => part !== '') : parts;
  if (said.length === 1 && isReference(said[0])) return said[0];
  if (said.every((part) => typeof part === 'string' || typeof part === 'number')) return said.join(separator);
  return standsFor(said, separator, stackOf) ?? json(said, separator, stackOf);
}

/** Of an ARN that is put together around the name of a resource, or a function with a qualifier: the resource. */
function standsFor(parts: readonly Value[], separator: string, stackOf: StackOf): Value {
  const references = parts.filter(isReference);
  const [only] = references;
  if (only === undefined || references.length > 1) return undefined;
  if (!parts.every((part) => isReference(part) || typeof part === 'string')) return undefined;
  const [before = '', after = ''] = parts
    .map((part) => (isReference(part) ? mark : part))
    .join(separator)
    .split(mark);
  const shape = arnsAround[only.resource.type];
  if (shape === undefined || !shape.attributes.includes(only.attribute) || !shape.after.test(after))
    return undefined;
  if (before === '') return after === '' ? undefined : only;
  const [, region, account] = /^arn:[^:]*:[a-z]+:([^:]*):([^:]*):/.exec(before) ?? [];
  if (region === undefined || account === undefined || !shape.before.test(before)) return undefined;
  // In another region or account than its own stack's the name is somebody else's.
  const stack = stackOf(only.resource);
  const isOwn =
    (region === '' || region === (stack.region ?? pseudo('AWS::Region'))) &&
    (account === '' || account === (stack.account ?? pseudo('AWS::AccountId')));
  return isOwn ? only : undefined;
}

const mark = '\u0000';

const arnsAround: Readonly<
  Record<string, { readonly attributes: readonly string[]; readonly before: RegExp; readonly after: RegExp }>
> = {
  'AWS::SQS::Queue': { attributes: ['QueueName'], before: /:sqs:[^:]*:[^:]*:$/, after: /^$/ },
  'AWS::SNS::Topic': { attributes: ['TopicName'], before: /:sns:[^:]*:[^:]*:$/, after: /^$/ },
  'AWS::Lambda::Function': {
    attributes: ['Ref', 'Arn'],
    before: /:lambda:[^:]*:[^:]*:function:$/,
    after: /^(:[\w$-]+)?$/,
  },
  'AWS::KMS::Key': { attributes: ['Ref', 'KeyId'], before: /:kms:[^:]*:[^:]*:key\/$/, after: /^$/ },
};

/** A document that is written as a text with references in it. What they stand for takes its place after the reading. */
function json(parts: readonly Value[], separator: string, stackOf: StackOf): Value {
  const written = parts
    // Digits are a value in JSON by themselves, and a part of a text.
    .map((part, index) => (typeof part === 'string' ? part : `${holder}${String(index).padStart(5, '0')}`))
    .join(separator);
  if (!/^\s*[[{]/.test(written)) return undefined;
  let read: unknown;
  try {
    read = JSON.parse(written);
  } catch {
    return undefined;
  }
  const put = (value: unknown): Value => {
    if (typeof value === 'object' && value !== null)
      return Array.isArray(value)
        ? value.map(put)
        : Object.fromEntries(Object.entries(value).map(([key, each]) => [key, put(each)]));
    if (typeof value === 'number' && String(value).startsWith(holder)) return put(String(value));
    if (typeof value !== 'string' || !value.includes(holder)) return value as Value;
    const pieces = value.split(new RegExp(`${holder}(\\d{5})`));
    return join(
      pieces.map((piece, index) => (index % 2 === 0 ? piece : parts[Number(piece)])),
      '',
      stackOf,
    );
  };
  return put(read);
}

/** Stands for a part that is no text; nobody writes it. */
const holder = '7395164208';
