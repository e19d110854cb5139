import { readAudit, readAuditPlace } from '@connector/catalog/reads/audit';
import { pageOf } from '@connector/catalog/reads/page';
import { AuditId } from '@connector/kernel/ids';
import { readPackAudit, readPackAuditPlace } from '@connector/packs/reads/audit';
import type { Db } from '@connector/platform/db/db';
import { argument } from '@connector/kernel/faults';
import { AUDIT } from './api/registry-shapes';
import type { PageQuery } from './registry-bodies';
import { RowProblem } from './row-problem';
import { shownAs } from './shown';

const page = shownAs(AUDIT);

/** What the catalog and the pack registry did, for people, in one list (cat:A-47). */
export class Audit {
  constructor(private readonly db: Db) {}

  async list(subject: string, { limit, after }: PageQuery) {
    const behind = after === '' ? undefined : await this.#place(subject, argument('after', AuditId, after));
    const told = [...(await readAudit(this.db, subject, behind)), ...(await readPackAudit(this.db, subject, behind))];
    const latestFirst = told.toSorted((one, other) => other.at.localeCompare(one.at) || (other.auditId < one.auditId ? -1 : 1));
    const found = pageOf(latestFirst, limit, ({ auditId }) => auditId);
    const rows = found.rows.map(({ door, caller, at, details }) => ({ door, caller, at, details: JSON.parse(details) as object }));
    return page({ ...found, rows });
  }

  async #place(subject: string, auditId: AuditId) {
    const at = (await readAuditPlace(this.db, subject, auditId)) ?? (await readPackAuditPlace(this.db, subject, auditId));
    if (at !== undefined) return { at, auditId };
    const nextSteps = [`connector audit list ${subject}`];
    throw new RowProblem('NotFound', { detail: `Nothing is written about ${subject} under ${auditId}.`, nextSteps });
  }
}
