import { describe, expect, it } from 'vitest';
import { type ProfileNode, roomOf, sharesOf } from '../../bench/run/profile.ts';

const root = 'file:///repo/';
const placeOf = ({ url }: ProfileNode['callFrame']) => url.slice(root.length);

/** A profile in which each path of functions was met so many times: the last function was running. */
function profileOf(paths: readonly (readonly [path: readonly string[], samples: number])[]) {
  const nodes: { id: number; callFrame: ProfileNode['callFrame']; children: number[] }[] = [];
  const samples: number[] = [];
  const add = (frame: string) => {
    const [functionName = '', url = ''] = frame.split(' @ ');
    const node = {
      id: nodes.length + 1,
      callFrame: { functionName, url, lineNumber: 0, columnNumber: 0 },
      children: [],
    };
    nodes.push(node);
    return node;
  };
  for (const [path, count] of paths) {
    let caller: (typeof nodes)[number] | undefined;
    for (const frame of path) {
      const node = add(frame);
      caller?.children.push(node.id);
      caller = node;
    }
    for (let index = 0; index < count; index++) samples.push(caller?.id ?? 0);
  }
  return { nodes, samples };
}

describe('The benchmark tells where the main thread spends its time', () => {
  it.each([
    ['file:///repo/local/sqs/heap.ts', 'local/sqs'],
    ['file:///repo/local/dynamodb/partiql/parse.ts', 'local/dynamodb'],
    ['file:///repo/local/dispatch.ts', 'local'],
    ['file:///repo/lib/base/clock.ts', 'lib/base'],
    ['file:///repo/examples/orders/run/run.ts', 'examples'],
    ['file:///repo/lambda/runtime/work.ts', 'lambda'],
    ['file:///repo/node_modules/@smithy/core/index.js', 'packages (SDK codecs and others)'],
    ['file:///elsewhere/node_modules/@smithy/core/index.js', 'packages (SDK codecs and others)'],
    ['node:_http_server', 'Node internals'],
    ['file:///elsewhere/a.ts', 'other code'],
    ['', undefined],
  ])('the room of "%s" is %s', (url, room) => {
    expect(roomOf(url, root)).toBe(room);
  });

  it('by room, greatest first, without the time in which it did nothing', () => {
    const { rooms } = sharesOf(
      profileOf([
        [['(root)', 'send @ file:///repo/local/sqs/send.ts'], 1],
        [['(root)', 'parse @ node:_http_common'], 3],
        [['(root)', '(idle)'], 90],
        [['(root)', '(garbage collector)'], 1],
      ]),
      root,
      placeOf,
    );
    expect(rooms).toEqual([
      ['Node internals', 0.6],
      ['local/sqs', 0.2],
      ['garbage collector', 0.2],
    ]);
  });

  it('V8’s own functions count for the nearest caller in a file, whatever they are called', () => {
    const { rooms, functions } = sharesOf(
      profileOf([
        [['(root)', 'read @ file:///repo/local/http/serve.ts', 'parse', 'constructor'], 2],
        [['(root)', 'toString'], 1],
      ]),
      root,
      placeOf,
    );
    expect(rooms).toEqual([
      ['local/http', 2 / 3],
      ['native code outside of JavaScript', 1 / 3],
    ]);
    expect(functions).toEqual([{ name: 'read', place: 'local/http/serve.ts', share: 2 / 3 }]);
  });

  it('starting the profiler is no part of the run', () => {
    const { rooms } = sharesOf(
      profileOf([
        [['(root)', 'send @ file:///repo/local/sqs/send.ts'], 1],
        [['(root)', 'post @ node:inspector', 'dispatch'], 5],
      ]),
      root,
      placeOf,
    );
    expect(rooms).toEqual([['local/sqs', 1]]);
  });

  it('a profile without samples has no shares', () => {
    expect(sharesOf({ nodes: [] }, root, placeOf)).toEqual({ rooms: [], functions: [] });
  });
});
