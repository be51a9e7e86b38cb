import { evaluatePolicy } from '../policy.ts';
import { type Principal, ServiceError } from '../service.ts';
import type { Topic } from './state.ts';

/**
 * Demands that the topic's policy lets another service publish. Where a topic has a policy of its own, that of a new
 * topic is gone with all that it allowed: a service needs a statement.
 *
 * @throws ServiceError AuthorizationErrorException, in the words that the history of an alarm shows
 */
export function demandPolicy(topic: Topic, principal: Principal, account: string): void {
  // Without a policy of its own it has that of a new topic, by which its account may do all.
  const { policy } = topic;
  if (policy === undefined) return;
  const verdict = evaluatePolicy(policy, {
    principal,
    action: 'sns:Publish',
    resource: topic.arn,
    // The policy of a new topic asks for it.
    conditions: { 'aws:sourceowner': principal.sourceAccount ?? account },
  });
  if (verdict === 'allow') return;
  throw new ServiceError(
    'AuthorizationErrorException',
    `Resource: ${principal.sourceArn ?? principal.service} is not authorized to perform: SNS:Publish on resource: ${topic.arn}`,
    { statusCode: 403, queryCode: 'AuthorizationError' },
  );
}
