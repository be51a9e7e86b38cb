import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entriesOf } from '../../../local/lambda/zip.ts';

/** A zip archive of one deflated file. */
function zipOf(name: string, content: Buffer): Buffer {
  const data = deflateRawSync(content);
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(Buffer.byteLength(name), 26);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE(8, 10);
  central.writeUInt32LE(data.length, 20);
  central.writeUInt32LE(content.length, 24);
  central.writeUInt16LE(Buffer.byteLength(name), 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(30 + Buffer.byteLength(name) + data.length, 16);
  return Buffer.concat([local, Buffer.from(name), data, central, Buffer.from(name), end]);
}

describe('an archive of code', () => {
  it('gives its files', () => {
    expect([...entriesOf('f', zipOf('a/b.mjs', Buffer.from('x')))]).toEqual([['a/b.mjs', Buffer.from('x')]]);
  });

  it.each(['../x', 'a/../../x', '/etc/x', 'a\\..\\x', 'a\0b'])('with the name %j is refused', (name) => {
    expect(() => [...entriesOf('f', zipOf(name, Buffer.from('x')))]).toThrow(/unsafe path/);
  });

  it('that unpacks to more than Lambda allows is refused', () => {
    const bomb = zipOf('zeros', Buffer.alloc(251 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(1024 * 1024);
    expect(() => [...entriesOf('f', bomb)]).toThrow(
      'Unzipped size of f must be smaller than 262144000 bytes',
    );
  });

  it('that is damaged anywhere is refused as such, or gives files', () => {
    const whole = zipOf('index.mjs', Buffer.from('export const handler = async () => 1;'));
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), (at, byte, length) => {
        const damaged = Buffer.from(whole);
        damaged[at] = byte;
        for (const zip of [damaged, whole.subarray(0, length)])
          try {
            expect([...entriesOf('f', zip)].length).toBeLessThan(2);
          } catch (error) {
            expect(error).toMatchObject({ name: 'InvalidParameterValueException' });
          }
      }),
      { numRuns: 300 },
    );
  });
});
