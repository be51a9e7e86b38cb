/** What must hold in every template that a declaration becomes: checked by hand here, and by none of the rules. */

interface Resource {
  readonly Type: string;
  // Templates of this package, whose shape is looked at and not trusted: what is missing fails the comparison.
  readonly Properties?: Readonly<Record<string, never>>;
}

type Get = Readonly<Record<string, unknown>> | undefined;

/** Every invariant that a template breaks, in words. */
export function brokenIn(template: { readonly Resources: Readonly<Record<string, Resource>> }): string[] {
  const broken: string[] = [];
  const all = Object.entries(template.Resources);
  const of = (type: string) => all.filter(([, { Type }]) => Type === type);
  const properties = (id: string | undefined): Readonly<Record<string, unknown>> =>
    (id === undefined ? {} : template.Resources[id]?.Properties) ?? {};
  /** The logical id in `{ Ref }` or `{ 'Fn::GetAtt' }`. */
  const idOf = (value: unknown): string | undefined => {
    const { Ref, 'Fn::GetAtt': attribute } = (value ?? {}) as { Ref?: string; 'Fn::GetAtt'?: string[] };
    return Ref ?? attribute?.[0];
  };
  const demand = (holds: boolean, what: string) => {
    if (!holds) broken.push(what);
  };
  const fourteenDays = 14 * 86_400;
  const retention = (id: string | undefined) => Number(properties(id).MessageRetentionPeriod ?? 345_600);
  const isFifo = (id: string | undefined) =>
    (properties(id).FifoQueue ?? properties(id).FifoTopic ?? false) === true;
  const mayDeliver = (topic: unknown, queue: string | undefined) =>
    of('AWS::SQS::QueuePolicy').some(([id]) => {
      const { Queues, PolicyDocument } = properties(id) as {
        Queues: unknown[];
        PolicyDocument: { Statement: readonly Readonly<Record<string, Get | string>>[] };
      };
      return (
        Queues.some((each) => idOf(each) === queue) &&
        PolicyDocument.Statement.some(
          ({ Effect, Principal, Action, Condition }) =>
            Effect === 'Allow' &&
            Action === 'sqs:SendMessage' &&
            (Principal as Get)?.Service === 'sns.amazonaws.com' &&
            idOf(((Condition as Get)?.ArnEquals as Get)?.['aws:SourceArn']) === idOf(topic),
        )
      );
    });

  for (const [id] of of('AWS::SQS::Queue')) {
    const { QueueName, RedrivePolicy, VisibilityTimeout = 30 } = properties(id);
    demand(Number(VisibilityTimeout) <= 43_200, `${id} hides too long`);
    demand(retention(id) >= 60 && retention(id) <= fourteenDays, `${id} keeps too long or too short`);
    if (QueueName !== undefined)
      demand(/^[\w-]{1,75}(\.fifo)?$/.test(String(QueueName)), `${id} has a name that is none`);
    if (RedrivePolicy === undefined) continue;
    const { deadLetterTargetArn, maxReceiveCount } = RedrivePolicy as Readonly<Record<string, unknown>>;
    const target = idOf(deadLetterTargetArn);
    demand(isFifo(id) === isFifo(target), `${id} has a dead-letter queue of another kind`);
    demand(
      isFifo(id) || retention(target) > retention(id) || retention(target) === fourteenDays,
      `${id} has dead letters that expire`,
    );
    demand(Number(maxReceiveCount) >= 5 && Number(maxReceiveCount) <= 1000, `${id} gives up too soon`);
  }
  for (const [id] of of('AWS::SNS::Subscription')) {
    const { TopicArn, Endpoint, RedrivePolicy, FilterPolicy, FilterPolicyScope } = properties(id);
    const target = idOf((RedrivePolicy as Get)?.deadLetterTargetArn);
    demand(target !== undefined, `${id} has no dead-letter queue`);
    demand(isFifo(target) === isFifo(idOf(TopicArn)), `${id} has a dead-letter queue of another kind`);
    demand(!isFifo(idOf(Endpoint)) || isFifo(idOf(TopicArn)), `${id} is FIFO on a standard topic`);
    demand(mayDeliver(TopicArn, idOf(Endpoint)), `${id} may not deliver`);
    demand(mayDeliver(TopicArn, target), `${id} may not dead-letter`);
    demand(FilterPolicyScope === 'MessageAttributes', `${id} does not say its scope`);
    demand(
      Object.values((FilterPolicy ?? {}) as object).every((values) => values.length <= 150),
      `${id} filters too much`,
    );
  }
  for (const [id] of of('AWS::Lambda::EventSourceMapping')) {
    const source = properties(id);
    const queue = idOf(source.EventSourceArn);
    const { Timeout } = properties(idOf(source.FunctionName));
    const window = Number(source.MaximumBatchingWindowInSeconds ?? 0);
    const batch = Number(source.BatchSize ?? 10);
    const concurrency = Number((source.ScalingConfig as Get)?.MaximumConcurrency);
    demand(
      Number(properties(queue).VisibilityTimeout) >= Number(Timeout) + window,
      `${id} sees messages twice`,
    );
    demand(
      JSON.stringify(source.FunctionResponseTypes) === '["ReportBatchItemFailures"]',
      `${id} knows no part of a batch`,
    );
    demand(concurrency >= 2 && concurrency <= 1000, `${id} has a concurrency that is none`);
    demand(concurrency * batch <= 120_000, `${id} is too much in flight`);
    demand(source.FilterCriteria === undefined, `${id} deletes what it filters`);
    demand(
      batch >= 1 &&
        (isFifo(queue) ? batch <= 10 && window === 0 : batch <= 10_000 && (batch <= 10 || window >= 1)),
      `${id} has a batch that is none`,
    );
  }
  for (const [id] of of('AWS::CloudWatch::Alarm')) {
    const { EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods, Period, Metrics } = properties(id);
    const metrics = (Metrics ?? []) as readonly {
      readonly MetricStat?: { readonly Period: number };
      readonly Period?: number;
    }[];
    const period = Math.max(
      ...metrics.map((each) => each.MetricStat?.Period ?? each.Period ?? 0),
      Number(Period ?? 0),
    );
    demand(Number(DatapointsToAlarm) <= Number(EvaluationPeriods), `${id} waits for ever`);
    demand(period > 0 && period * Number(EvaluationPeriods) <= 86_400, `${id} looks back too far`);
    demand(metrics.filter(({ MetricStat }) => MetricStat !== undefined).length <= 10, `${id} reads too much`);
  }
  return broken;
}
