import { invalidParameter, invalidValue } from './errors.ts';
import type { Queue, RedriveAllowPolicy, RedrivePolicy } from './queue.ts';
import { QUOTAS } from './quotas.ts';

/** Reads a RedrivePolicy; whether its target fits is {@link checkTarget}'s business. */
export function parseRedrivePolicy(text: string): RedrivePolicy {
  const policy = parseObject(text, 'RedrivePolicy');
  const { deadLetterTargetArn, maxReceiveCount } = policy;
  const refuse = (reason: string) => invalidValue(text, 'RedrivePolicy', reason);
  if (deadLetterTargetArn === undefined) {
    throw refuse('Redrive policy does not contain mandatory attribute: deadLetterTargetArn.');
  }
  if (maxReceiveCount === undefined) {
    throw refuse('Redrive policy does not contain mandatory attribute: maxReceiveCount.');
  }
  if (
    typeof deadLetterTargetArn !== 'string' ||
    !/^arn:[^:]+:sqs:[^:]+:\d{12}:.+$/.test(deadLetterTargetArn)
  ) {
    throw refuse('Invalid value for deadLetterTargetArn.');
  }
  const count = typeof maxReceiveCount === 'string' ? Number(maxReceiveCount) : maxReceiveCount;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > QUOTAS.maxReceiveCount) {
    throw refuse(
      `Invalid value for maxReceiveCount: ${String(maxReceiveCount)}, valid values are from 1 to ${QUOTAS.maxReceiveCount} both inclusive.`,
    );
  }
  return { targetArn: deadLetterTargetArn, maxReceiveCount: count };
}

/** Reads a RedriveAllowPolicy. */
export function parseRedriveAllowPolicy(text: string): RedriveAllowPolicy {
  const policy = parseObject(text, 'RedriveAllowPolicy');
  const refuse = (reason: string) => invalidValue(text, 'RedriveAllowPolicy', reason);
  const permission = policy.redrivePermission;
  if (permission !== 'allowAll' && permission !== 'denyAll' && permission !== 'byQueue') {
    throw refuse('redrivePermission must be allowAll, denyAll or byQueue.');
  }
  const arns: unknown = policy.sourceQueueArns;
  if (permission !== 'byQueue') {
    if (arns !== undefined) throw refuse('sourceQueueArns can be given only with redrivePermission byQueue.');
    return { permission, sourceArns: [] };
  }
  if (!Array.isArray(arns) || arns.length === 0 || arns.length > 10) {
    throw refuse('sourceQueueArns must hold 1 to 10 queue ARNs when redrivePermission is byQueue.');
  }
  return { permission, sourceArns: arns.map(String) };
}

/** Whether the dead-letter queue takes messages of this source, and is of its kind. */
export function mayRedrive(source: Pick<Queue, 'arn' | 'fifo'>, target: Queue): boolean {
  if (source.fifo !== target.fifo) return false;
  const allow = target.settings.redriveAllow;
  if (allow === undefined || allow.permission === 'allowAll') return true;
  return allow.permission === 'byQueue' && allow.sourceArns.includes(source.arn);
}

/** Refuses a RedrivePolicy whose target is missing, of another kind, or does not allow it. */
export function checkTarget(
  source: Pick<Queue, 'arn' | 'fifo'>,
  target: Queue | undefined,
  text: string,
): void {
  const refuse = (reason: string) => invalidValue(text, 'RedrivePolicy', reason);
  if (target === undefined) throw refuse('Dead letter target does not exist.');
  if (target.fifo !== source.fifo) {
    throw refuse('Dead-letter queue must be same type of queue as the source.');
  }
  if (!mayRedrive(source, target)) {
    throw refuse('Dead-letter queue does not allow this source queue by its RedriveAllowPolicy.');
  }
}

function parseObject(text: string, name: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const error = invalidValue(text, name, `${name} is not valid JSON.`);
    error.cause = cause;
    throw error;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidParameter(
      `Value ${text} for parameter ${name} is invalid. Reason: ${name} is not a JSON map.`,
    );
  }
  return { ...value };
}
