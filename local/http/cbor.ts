import { ServiceError } from '../service.ts';

/**
 * CBOR (RFC 8949) as far as the Smithy RPC v2 protocol uses it: the AWS CLI and newer SDKs speak to CloudWatch
 * in it. Tag 1 is a moment in seconds since 1970.
 */
export function decodeCbor(body: Uint8Array): unknown {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  let position = 0;
  const take = (length: number): number => {
    const start = position;
    if (length > body.byteLength - start) throw malformed('it ends too early');
    position += length;
    return start;
  };
  const count = (info: number): number => {
    if (info < 24) return info;
    if (info === 24) return view.getUint8(take(1));
    if (info === 25) return view.getUint16(take(2));
    if (info === 26) return view.getUint32(take(4));
    if (info === 27) return Number(view.getBigUint64(take(8)));
    throw malformed(`length ${info} is not defined`);
  };
  const string = (major: number, info: number): Uint8Array => {
    if (info !== indefinite) {
      const length = count(info);
      const start = take(length);
      return body.slice(start, start + length);
    }
    const parts: Uint8Array[] = [];
    for (;;) {
      const head = view.getUint8(take(1));
      if (head === breakByte) return new Uint8Array(Buffer.concat(parts));
      if (head >> 5 !== major) throw malformed('a string has a part of another type');
      parts.push(string(major, head & 31));
    }
  };
  const atEnd = (index: number, length: number | undefined): boolean => {
    if (length !== undefined) return index >= length;
    if (position >= body.byteLength) throw malformed('it ends too early');
    if (body[position] !== breakByte) return false;
    position += 1;
    return true;
  };
  const read = (depth: number): unknown => {
    if (depth > 100) throw malformed('it is nested too deep');
    const head = view.getUint8(take(1));
    const [major, info] = [head >> 5, head & 31];
    switch (major) {
      case 0:
        return count(info);
      case 1:
        return -1 - count(info);
      case 2:
        return string(major, info);
      case 3:
        return Buffer.from(string(major, info)).toString('utf8');
      case 4: {
        const length = info === indefinite ? undefined : count(info);
        const list: unknown[] = [];
        for (let index = 0; !atEnd(index, length); index++) list.push(read(depth + 1));
        return list;
      }
      case 5: {
        const length = info === indefinite ? undefined : count(info);
        const entries: [string, unknown][] = [];
        for (let index = 0; !atEnd(index, length); index++)
          entries.push([String(read(depth + 1)), read(depth + 1)]);
        return Object.fromEntries(entries);
      }
      case 6: {
        const tag = count(info);
        const value = read(depth + 1);
        return tag === 1 && typeof value === 'number' ? new Date(value * 1000) : value;
      }
      default:
        return simple(info);
    }
  };
  const simple = (info: number): unknown => {
    if (info === 20 || info === 21) return info === 21;
    if (info === 22 || info === 23) return null;
    if (info === 25) return half(view.getUint16(take(2)));
    if (info === 26) return view.getFloat32(take(4));
    if (info === 27) return view.getFloat64(take(8));
    throw malformed(`simple value ${info} is not defined`);
  };
  const value = body.byteLength === 0 ? {} : read(0);
  if (position !== body.byteLength) throw malformed('something follows after its end');
  return value;
}

const indefinite = 31;
const breakByte = 0xff;

const malformed = (why: string) =>
  new ServiceError('SerializationException', `The body is not well-formed CBOR: ${why}.`);

function half(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** A value as CBOR; members that are undefined are left out. */
export function encodeCbor(value: unknown): Buffer {
  const parts: Uint8Array[] = [];
  const head = (major: number, length: number) => {
    const lead = major << 5;
    if (length < 24) parts.push(Uint8Array.of(lead | length));
    else if (length < 0x100) parts.push(Uint8Array.of(lead | 24, length));
    else if (length < 0x10000) parts.push(Uint8Array.of(lead | 25, length >> 8, length & 255));
    else {
      const wide = Buffer.alloc(9);
      wide[0] = lead | 27;
      wide.writeBigUInt64BE(BigInt(length), 1);
      parts.push(wide);
    }
  };
  const float = (number: number) => {
    const wide = Buffer.alloc(9);
    wide[0] = 0xfb;
    wide.writeDoubleBE(number, 1);
    parts.push(wide);
  };
  const write = (inner: unknown) => {
    if (inner === null || inner === undefined) parts.push(Uint8Array.of(0xf6));
    else if (typeof inner === 'boolean') parts.push(Uint8Array.of(inner ? 0xf5 : 0xf4));
    else if (typeof inner === 'number') {
      if (!Number.isSafeInteger(inner) || Object.is(inner, -0)) float(inner);
      else if (inner >= 0) head(0, inner);
      else head(1, -1 - inner);
    } else if (typeof inner === 'string') {
      const text = Buffer.from(inner, 'utf8');
      head(3, text.byteLength);
      parts.push(text);
    } else if (inner instanceof Uint8Array) {
      head(2, inner.byteLength);
      parts.push(inner);
    } else if (inner instanceof Date) {
      head(6, 1);
      float(inner.getTime() / 1000);
    } else if (Array.isArray(inner)) {
      head(4, inner.length);
      for (const item of inner) write(item);
    } else {
      const entries = Object.entries(inner as object).filter(([, item]) => item !== undefined);
      head(5, entries.length);
      for (const [name, item] of entries) {
        write(name);
        write(item);
      }
    }
  };
  write(value);
  return Buffer.concat(parts);
}
