import { readAudit } from '@connector/catalog/reads/audit';
import { readPackAudit } from '@connector/packs/reads/audit';
import type { Db } from '@connector/platform/db/db';
import { AUDIT } from './api/registry-shapes';
import { shownAs } from './shown';

const records = shownAs(AUDIT);

const RECORDS_MAX = 200;

/** What the catalog and the pack registry did, for people, in one list (cat:A-47). */
export class Audit {
  constructor(private readonly db: Db) {}

  async list(subject: string) {
    const told = [...(await readAudit(this.db, subject)), ...(await readPackAudit(this.db, subject))];
    const rows = told.toSorted((one, other) => other.at.localeCompare(one.at)).slice(0, RECORDS_MAX);
    return records({ rows: rows.map(({ details, ...row }) => ({ ...row, details: JSON.parse(details) as object })) });
  }
}
