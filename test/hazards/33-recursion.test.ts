import { describe, expect, it } from 'vitest';
import { refusedBy, stacks } from './support/stacks.ts';

interface Policy {
  readonly Statement: readonly { readonly Action: string | readonly string[]; readonly Resource: unknown }[];
}

describe('33: nothing sends to its own queue to try again later: visibility does it', () => {
  it('no function may send to the queue that it reads', () => {
    for (const { of, id } of stacks()) {
      const functions = new Map(of('AWS::Lambda::Function'));
      const sources = of('AWS::Lambda::EventSourceMapping');
      expect(sources).not.toEqual([]);
      for (const [, { EventSourceArn, FunctionName }] of sources) {
        const role = id(functions.get(id(FunctionName))?.Role);
        const statements = of('AWS::IAM::Policy')
          .filter(([, { Roles }]) => (Roles as readonly unknown[]).some((each) => id(each) === role))
          .flatMap(([, { PolicyDocument }]) => (PolicyDocument as Policy).Statement);
        const sends = statements
          .filter(({ Action }) => /sqs:(\*|Send)/.test(JSON.stringify(Action)))
          .flatMap(({ Resource }) => Resource)
          .map(id);
        // Its dead letters it sends itself.
        expect(sends).not.toEqual([]);
        expect(sends).not.toContain(id(EventSourceArn));
      }
    }
  });

  it('and one that may is refused; one that may by way of a topic is warned of', async () => {
    expect(await refusedBy('self-send', 'topic-loop')).toEqual([['self-send'], ['topic-loop']]);
  });
});
