/** Standard output, shared between the command's own lines and what the handler's bundle prints. */
export interface Output {
  /** A line of the command's own. */
  say(line: string): void;
  /** Dead letters that the runtime has counted so far. */
  deadLetters(): number;
  /** Gives standard output back. */
  restore(): void;
}

/**
 * Takes over standard output. The runtime prints its metrics there, in CloudWatch's embedded metric format, and a handler
 * its log: metrics are counted and dropped, everything else goes to `other`, so that the command's own output is nothing
 * else.
 */
export function takeOutput(stream: NodeJS.WriteStream, other: (text: string) => void): Output {
  const original = stream.write;
  const print = (text: string) => original.call(stream, text);
  let deadLetters = 0;
  let rest = '';
  stream.write = ((chunk: string | Uint8Array, encoding?: unknown, done?: unknown): boolean => {
    rest += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const metrics = metricsOf(line);
      if (metrics === undefined) other(`${line}\n`);
      else deadLetters += Number(metrics.deadLettered ?? 0);
    }
    const callback = typeof encoding === 'function' ? encoding : done;
    if (typeof callback === 'function') process.nextTick(callback as () => void);
    return true;
  }) as typeof stream.write;
  return {
    say: (line) => void print(`${line}\n`),
    deadLetters: () => deadLetters,
    restore() {
      stream.write = original;
      if (rest !== '') other(rest);
    },
  };
}

/** What a line counts; `undefined` when it is none of the embedded metric format. */
function metricsOf(line: string): { readonly deadLettered?: unknown } | undefined {
  if (!line.includes('"_aws"')) return undefined;
  try {
    const value = JSON.parse(line) as { readonly _aws?: { readonly CloudWatchMetrics?: unknown } };
    return value._aws?.CloudWatchMetrics === undefined ? undefined : (value as object);
  } catch {
    // A line of the handler's that looks like one.
    return undefined;
  }
}
