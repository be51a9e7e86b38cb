import { PublishCommand, type PublishCommandInput, type PublishCommandOutput } from '@aws-sdk/client-sns';
import { publisher } from '../../lambda/runtime/index.ts';
import { type Clock, type Milliseconds, milliseconds, sleep } from '../../lib/base/index.ts';
import type { Messaging, Subscriber } from '../../lib/topology/index.ts';
import type { Harness, HarnessTools } from '../../local/index.ts';
import type { Plan, Publish } from './plan.ts';
import type { World } from './scenario.ts';

/** A publish that a topic has taken: what was planned, and what went over the wire. */
export interface Taken {
  readonly publish: Publish;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** How often it was sent until an answer came: each time may have put a message into the queues. */
  readonly tries: number;
  /** Its place in the order of a FIFO topic, which is not that of the answers where answers are lost. */
  readonly sequenceNumber: string | undefined;
}

/** How long a publish waits for an earlier one to be done, before it is left out. */
const mostPatience = milliseconds(10 * 60_000);

/** Publishes everything: lines side by side, in a line one after another, each again and again until it is taken. */
export async function publishAll(
  harness: Harness<Messaging>,
  world: World,
  { messaging, publishes }: Plan,
  start: Milliseconds,
  taken: (each: Taken) => void,
): Promise<void> {
  const { clock, tools, deployed } = harness;

  const publishLine = async (line: readonly Publish[]) => {
    let last: PublishCommandInput | undefined;
    let answer: PublishCommandOutput | undefined;
    // What reaches the topic is evidence: its body, and its attributes.
    const send = async (command: PublishCommand) => {
      last = command.input;
      answer = undefined;
      answer = await tools.sns.send(command);
      return answer;
    };
    const sns = { ...tools.sns, send: send as HarnessTools['sns']['send'] };
    const events = publisher(messaging, { ...tools, sns });
    const raw = ({ topic, group, id }: Publish, body: string) =>
      new PublishCommand({
        TopicArn: deployed.topicArns[topic],
        Message: body,
        ...(messaging.topics[topic]?.fifo ? { MessageGroupId: group, MessageDeduplicationId: id } : {}),
      });
    for (const publish of line) {
      const { at, group, id, message, time } = publish;
      await sleep(clock, milliseconds(Math.max(0, start + at - clock.now())));
      if (publish.whenDone === true && !(await isDoneEverywhere(publish))) continue;
      const shown = (moment: number) => new Date(start + moment).toISOString();
      const tries = await untilTaken(clock, () =>
        'body' in message
          ? send(raw(publish, message.body))
          : events.publish(message.type, message.data as never, {
              id,
              group,
              time: shown(time),
              ...(message.sequence === undefined ? {} : { sequence: message.sequence }),
              ...(message.expired === undefined ? {} : { expiry: shown(time - 60_000) }),
            }),
      );
      taken({
        publish,
        body: last?.Message ?? '',
        attributes: textsOf(last?.MessageAttributes),
        tries,
        sequenceNumber: answer?.SequenceNumber,
      });
    }
  };

  const isDoneEverywhere = async ({ topic, id }: Publish): Promise<boolean> => {
    const listeners = Object.values<Subscriber>(messaging.subscribers).filter((each) => each.topic === topic);
    const until = clock.now() + mostPatience;
    const done = (subscriber: Subscriber) =>
      world.happened(subscriber, harness.aws).some((effect) => effect.id === id);
    while (!listeners.every(done)) {
      if (clock.now() > until) return false;
      await sleep(clock, milliseconds(1_000));
    }
    return true;
  };

  await Promise.all(linesOf(publishes).map(publishLine));
}

function linesOf(publishes: readonly Publish[]): Publish[][] {
  const lines = new Map<string, Publish[]>();
  for (const publish of publishes) {
    const line = lines.get(publish.line);
    if (line === undefined) lines.set(publish.line, [publish]);
    else line.push(publish);
  }
  return [...lines.values()];
}

async function untilTaken(clock: Clock, publish: () => Promise<unknown>): Promise<number> {
  for (let wait = 200, tries = 1; ; wait = Math.min(5_000, wait * 2), tries++) {
    try {
      await publish();
      return tries;
    } catch (error) {
      // What the publisher refuses by itself will never be taken: the plan is wrong.
      if ((error as Error).name === 'PublishRefused') throw error;
      await sleep(clock, milliseconds(wait));
    }
  }
}

const textsOf = (attributes: PublishCommandInput['MessageAttributes'] = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).map(([name, { StringValue }]) => [name, StringValue ?? '']));
