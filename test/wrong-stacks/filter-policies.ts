import { arn, plain, ref } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

/** So many subscriptions with a filter, each of a queue of another account. */
const filters = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `Filter${index}`,
      {
        Type: 'AWS::SNS::Subscription',
        Protocol: 'sqs',
        TopicArn: ref('Topic'),
        Endpoint: `arn:aws:sqs:eu-west-1:222222222222:queue${index}`,
        FilterPolicyScope: 'MessageAttributes',
        FilterPolicy: { type: ['placed'] },
        RedrivePolicy: { deadLetterTargetArn: arn('Undelivered') },
      },
    ]),
  );
const subscribers = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `s${index}`,
      { on: ['told'], handler: 'it.ts', lag: 60, filter: true },
    ]),
  );

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, filters(201)),
    mended: (stack) => plain(stack, filters(200)),
  },
  declared: {
    wrong: { subscribers: subscribers(201) },
    mended: { subscribers: subscribers(200) },
  },
};
