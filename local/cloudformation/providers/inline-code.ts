/** Sizes of a zip archive's fixed parts, in bytes (PKWARE APPNOTE 4.3.7, 4.3.12, 4.3.16). */
const size = { local: 30, central: 46, end: 22 } as const;

/**
 * Code that stands in the template itself, as the zip archive that Lambda takes: CloudFormation writes it to
 * `index.js`. The file is stored, not compressed, and without a checksum, which the model does not look at.
 */
export function zipOfInlineCode(source: string): Buffer {
  const name = Buffer.from('index.js');
  const content = Buffer.from(source);
  const local = Buffer.alloc(size.local);
  local.write('PK\x03\x04', 0, 'latin1');
  local.writeUInt16LE(name.length, 26);
  const central = Buffer.alloc(size.central);
  central.write('PK\x01\x02', 0, 'latin1');
  central.writeUInt32LE(content.length, 20);
  central.writeUInt32LE(content.length, 24);
  central.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(size.end);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(size.central + name.length, 12);
  end.writeUInt32LE(size.local + name.length + content.length, 16);
  return Buffer.concat([local, name, content, central, name, end]);
}
