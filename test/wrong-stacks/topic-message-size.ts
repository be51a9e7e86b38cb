import { plain, ref } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

const mail = (bytes: number) => ({
  Topic: { MaximumMessageSize: bytes },
  Letter: {
    Type: 'AWS::SNS::Subscription',
    Protocol: 'email',
    TopicArn: ref('Topic'),
    Endpoint: 'on-call@example.com',
  },
});

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, mail(262_145)),
    mended: (stack) => plain(stack, mail(262_144)),
  },
};
