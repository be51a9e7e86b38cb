import type { ConformanceCase, Source } from '../../case.ts';
import type { World } from '../../world.ts';
import { type Sqs, sqsOf } from './sqs.ts';

const source = (page: string, says: string, conflict?: string): Source => ({
  page,
  says,
  ...(conflict !== undefined && { conflict }),
});

/** A section of the SQS developer guide. */
export const guide = (section: string, says: string, conflict?: string): Source =>
  source(`SQS developer guide, "${section}"`, says, conflict);

/** An action of the SQS API reference. */
export const api = (action: string, says: string, conflict?: string): Source =>
  source(`SQS API reference, ${action}`, says, conflict);

/** What nobody wrote down but AWS was seen to do. */
export const recorded = (says: string, conflict?: string): Source =>
  source('Recorded on AWS (LocalStack’s public tests marked aws.validated)', says, conflict);

/** One case of SQS. */
export const sqsCase = (
  name: string,
  title: string,
  from: Source,
  play: (sqs: Sqs, world: World) => Promise<void>,
  extra: Pick<ConformanceCase, 'hours'> = {},
): ConformanceCase => ({
  name,
  title,
  source: from,
  ...extra,
  run: (world) => play(sqsOf(world), world),
});
