import type { World } from './world.ts';

/** What a case rests on. */
export interface Source {
  /** The page of documentation, by its name: `SQS developer guide, "FIFO delivery logic"`. */
  readonly page: string;
  /** What it says, in our words. */
  readonly says: string;
  /** Where sources disagree, or are silent: what each says, and what the model does and why. */
  readonly conflict?: string;
}

/** Which services a case asks: a server without one of them does not support the case. */
export type Needs =
  | 'sqs'
  | 'sns'
  | 'dynamodb'
  | 'dynamodbstreams'
  | 'lambda'
  | 'cloudwatch'
  | 'cloudformation'
  | 's3';

/** One behaviour that the stack depends on. */
export interface ConformanceCase {
  /** Its name for good, within its group: `earlier-message-in-flight-locks-the-group`. */
  readonly name: string;
  /** The behaviour, as one sentence. */
  readonly title: string;
  readonly source: Source;
  /** Services besides those of the group. */
  readonly needs?: readonly Needs[];
  /** Takes hours: it runs where the clock can be driven, on the model. */
  readonly hours?: true;
  /**
   * Runs functions: on the model it takes the machine's clock, and workers. With `recorder`, where all its functions are
   * those of kit/lambda.ts, the model runs them in process, on the clock that can be driven.
   */
  readonly functions?: true | 'recorder';
  /** Plays it; what differs is thrown, by `node:assert` or {@link Difference}. */
  run(world: World): Promise<void>;
}

/** Cases of one kind. */
export interface CaseGroup {
  /** `sqs-fifo` */
  readonly name: string;
  readonly title: string;
  readonly needs: readonly Needs[];
  readonly cases: readonly ConformanceCase[];
}

/** A server behaves otherwise than the documentation says. */
export class Difference extends Error {
  override readonly name = 'Difference';
}

/** Gives a group its cases; two of one name are refused. */
export function group(
  name: string,
  title: string,
  needs: readonly Needs[],
  cases: readonly ConformanceCase[],
): CaseGroup {
  const names = cases.map((each) => each.name);
  const twice = names.find((each, index) => names.indexOf(each) !== index);
  if (twice !== undefined) throw new Error(`The group ${name} has two cases named ${twice}.`);
  return { name, title, needs, cases };
}
