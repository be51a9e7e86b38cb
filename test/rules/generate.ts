import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { catalogue } from '../../lib/rules/index.ts';
import { rulesPage } from './page.ts';

/** Writes docs/rules.md anew. */

writeFileSync(fileURLToPath(new URL('../../docs/rules.md', import.meta.url)), rulesPage());
process.stdout.write(`docs/rules.md: ${catalogue().length} rules\n`);
