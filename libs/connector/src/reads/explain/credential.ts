import type { CredentialGenerationId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conCredentialGate } from '@connector/schema/connector/serving';
import { finding } from '../../model/explain/finding';
import type { Examined } from './examined';
import { credentialFindings } from './serving';
import type { ExplainSources } from './sources';

const GATE = readRows(conCredentialGate, ['mode'], 'WHERE generation_id = :generation_id', 'explained');

export async function examineCredential(db: Db, sources: ExplainSources, id: CredentialGenerationId): Promise<Examined | undefined> {
  const waiting = { subject: id, alertFrom: null, basis: null };
  const about = { kind: 'credential generation', id, account: null, basis: null } as const;
  const gate = await db.readOne(GATE, { generation_id: id });
  if (gate !== undefined) {
    const findings = await credentialFindings(db, id, waiting);
    return { ...about, state: gate.mode, findings, finished: findings.length === 0 };
  }
  const authored = await sources.authored(id);
  if (authored === undefined) return undefined;
  const since = authored.authored_at;
  const missing = finding('CREDENTIAL_GATE_MISSING', { credential: id, since }, { ...waiting, since, evidenceId: id });
  return { ...about, state: 'authored', findings: [missing], finished: false };
}
