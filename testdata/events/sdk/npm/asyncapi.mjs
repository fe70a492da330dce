// Validates an AsyncAPI document: node asyncapi.mjs FILE
import { readFileSync } from 'node:fs';
import { Parser } from '@asyncapi/parser';

const { document, diagnostics } = await new Parser().parse(readFileSync(process.argv[2], 'utf8'));
const errors = diagnostics.filter((d) => d.severity === 0);
for (const d of errors) console.error(`${d.path.join('.')}: ${d.message}`);
if (errors.length > 0 || !document) process.exit(1);
console.log(`${document.version()} ${document.allMessages().length}`);
