import { arn, plain, ref } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

/** So many subscriptions besides the one that is there, each of a queue of another account. */
const more = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `More${index}`,
      {
        Type: 'AWS::SNS::Subscription',
        Protocol: 'sqs',
        TopicArn: ref('Topic'),
        Endpoint: `arn:aws:sqs:eu-west-1:222222222222:queue${index}.fifo`,
        RedrivePolicy: { deadLetterTargetArn: arn('Undelivered') },
      },
    ]),
  );
const subscribers = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `s${index}`,
      { on: ['placed'], fifo: true, handler: 'it.ts', lag: 60 },
    ]),
  );

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, more(100), true),
    mended: (stack) => plain(stack, more(99), true),
  },
  declared: {
    wrong: { subscribers: subscribers(101) },
    mended: { subscribers: subscribers(100) },
  },
};
