/** How one test went. */
export interface Played {
  readonly file: string;
  /** Name with its parameters: `test_send_receive_message[sqs]` */
  readonly name: string;
  readonly protocol: 'JSON' | 'query';
  readonly outcome: 'passed' | 'failed' | 'skipped';
}

/** Tests of the query protocol that no parameter tells. */
const queryClass = /\.TestSqsQueryApi$/;

/**
 * Reads the report that pytest writes in JUnit's format. A test whose end fails after it passed is in there twice: it
 * failed.
 */
export function readReport(xml: string): readonly Played[] {
  const played = new Map<string, Played>();
  for (const [, attributes = '', contents = ''] of xml.matchAll(
    /<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g,
  )) {
    const place = attribute(attributes, 'classname');
    const name = attribute(attributes, 'name');
    const file = `${/\.(test_\w+)(?:\.|$)/.exec(place)?.[1]}.py`;
    const isQuery =
      name.includes('[sqs_query') || (queryClass.test(place) && !name.includes('json_protocol'));
    const outcome = /<(?:failure|error)\b/.test(contents)
      ? 'failed'
      : /<skipped\b/.test(contents)
        ? 'skipped'
        : 'passed';
    const key = `${place}.${name}`;
    if (played.get(key)?.outcome !== 'failed')
      played.set(key, { file, name, protocol: isQuery ? 'query' : 'JSON', outcome });
  }
  return [...played.values()];
}

const attribute = (attributes: string, name: string): string =>
  new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
