import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { securityPage } from './page.ts';
import { facts } from './stacks.ts';

/** Writes docs/security.md anew. */
const file = fileURLToPath(new URL('../../docs/security.md', import.meta.url));
writeFileSync(file, securityPage(facts()));
process.stdout.write('docs/security.md\n');
