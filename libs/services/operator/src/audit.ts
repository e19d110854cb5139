import { readAudit } from '@connector/catalog/reads/audit';
import type { Db } from '@connector/platform/db/db';
import { AUDIT } from './api/registry-shapes';
import { shownAs } from './shown';

const records = shownAs(AUDIT);

/** What the catalog did, for people (cat:A-47). */
export class Audit {
  constructor(private readonly db: Db) {}

  async list(subject: string) {
    const rows = await readAudit(this.db, subject);
    return records({ rows: rows.map(({ details, ...row }) => ({ ...row, details: JSON.parse(details) as object })) });
  }
}
