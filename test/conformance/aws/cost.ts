/** One price of AWS, US East (N. Virginia), without free tiers. */
interface Price {
  readonly what: string;
  /** Dollars for one. */
  readonly each: number;
  readonly source: string;
}

/** When the pages were read. */
export const pricesOf = '2026-11';

const prices = {
  sqs: { what: 'SQS requests (FIFO)', each: 0.5e-6, source: 'aws.amazon.com/sqs/pricing' },
  sns: { what: 'SNS requests', each: 0.5e-6, source: 'aws.amazon.com/sns/pricing' },
  // One action of a transaction may cost two units; a hundred actions may be in a call.
  dynamodb: {
    what: 'DynamoDB calls of up to 20 write units',
    each: 20 * 0.625e-6,
    source: 'aws.amazon.com/dynamodb/pricing/on-demand',
  },
  dynamodbstreams: {
    what: 'DynamoDB Streams reads',
    each: 0.2e-6,
    source: 'aws.amazon.com/dynamodb/pricing/on-demand',
  },
  cloudwatch: { what: 'CloudWatch requests', each: 0.01 / 1000, source: 'aws.amazon.com/cloudwatch/pricing' },
  lambda: { what: 'Lambda calls', each: 0.2e-6, source: 'aws.amazon.com/lambda/pricing' },
  s3: { what: 'S3 requests', each: 0.005 / 1000, source: 'aws.amazon.com/s3/pricing' },
} as const satisfies Readonly<Record<string, Price>>;

/** A function of 256 MB for half a minute, and its invocation. */
const functionRun = 0.2e-6 + 0.25 * 30 * 0.0000166667;
/** A custom metric for an hour of its month, and an alarm (a composite one) likewise. */
const metricHour = 0.3 / 720;
const alarmHour = 0.5 / 720;

/** What is known of the cases that are to be played. */
export interface Workload {
  /** Requests to each service, as counted on the model. */
  readonly requests: Readonly<Record<string, number>>;
  /** Cases that run functions, and that make alarms or metrics. */
  readonly functionCases: number;
  readonly cloudwatchCases: number;
}

/** How much more is asked on AWS, where things take their time and are waited for, than on the model. */
const margin = 20;

/** An upper bound in dollars, and the lines that lead to it. */
export function costOf({ requests, functionCases, cloudwatchCases }: Workload): {
  readonly dollars: number;
  readonly lines: readonly string[];
} {
  const parts: { text: string; dollars: number }[] = [];
  const add = (text: string, count: number, each: number) => {
    if (count > 0)
      parts.push({ text: `${Math.ceil(count).toLocaleString('en')} ${text}`, dollars: count * each });
  };
  for (const [service, { what, each, source }] of Object.entries(prices))
    add(`${what} (${source})`, (requests[service] ?? 0) * margin, each);
  add(
    'runs of a function of 256 MB for 30 s (aws.amazon.com/lambda/pricing)',
    functionCases * margin,
    functionRun,
  );
  add('custom metrics for an hour (aws.amazon.com/cloudwatch/pricing)', cloudwatchCases * 3, metricHour);
  add('alarms for an hour (aws.amazon.com/cloudwatch/pricing)', cloudwatchCases * 3, alarmHour);
  const sum = parts.reduce((total, { dollars }) => total + dollars, 0);
  return {
    dollars: Math.max(0.01, Math.ceil(sum * 100) / 100),
    lines: parts.map(({ text, dollars }) => `  $${dollars.toFixed(4)}  ${text}`),
  };
}
