import { crc32, deflateRawSync } from 'node:zlib';

/** A zip archive with one file (PKWARE APPNOTE 4.3: local header, central directory, its end). */
export function zipOf(name: string, content: string): Buffer {
  const data = Buffer.from(content);
  const packed = deflateRawSync(data);
  const file = Buffer.from(name);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0); // version needed
  common.writeUInt16LE(8, 4); // deflated
  common.writeUInt16LE(0x21, 8); // 1980-01-01
  common.writeUInt32LE(crc32(data), 10);
  common.writeUInt32LE(packed.length, 14);
  common.writeUInt32LE(data.length, 18);
  common.writeUInt16LE(file.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, file, packed]);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(0o100644 * 0x10000, 6); // a plain file that anybody may read
  const central = Buffer.concat([
    Buffer.from('PK\x01\x02'),
    Buffer.from([20, 3]), // made on Unix, so that the permissions count
    common,
    rest,
    file,
  ]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, central, Buffer.from('PK\x05\x06'), end]);
}
