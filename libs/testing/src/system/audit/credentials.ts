import { credentialGateMachine } from '@connector/connector/model/serving/credential-gate';
import { type Findings, groupBy, type History } from './finding';

/** Every decision of a credential generation was carried to its gate, in order and once, and nothing else moved it (con:CGATE-M). */
export function judgeCredentials({ rows }: History, findings: Findings): void {
  const decisions = groupBy(rows.decisions, ({ generation_id }) => generation_id);
  const moves = groupBy(rows.moves.flatMap(credentialsOf), (id) => id);
  for (const { generation_id: id, mode: word, fence } of rows.credentialGates) {
    const held = decisions.get(id) ?? [];
    const moved = BigInt(moves.get(id)?.length ?? 0);
    const mode = credentialGateMachine.parse(word);
    findings.must(fence === 1n + BigInt(held.length), `credential ${id} is at fence ${fence} with ${held.length} decisions`);
    findings.must(moved === fence - 1n, `credential ${id} is at fence ${fence} and moved ${moved} times`);
    const last = held.find((row) => row.fence === fence);
    findings.must((last?.verb === 'revoke') === (mode === 'revoked'), `credential ${id} is ${mode} by ${last?.verb ?? 'no decision'}`);
  }
}

function credentialsOf({ door, items }: History['rows']['moves'][number]): readonly string[] {
  if (door !== 'revoke-credential' && door !== 'reenable-credential') return [];
  return (JSON.parse(items.toString('utf8')) as readonly { readonly credential: string }[]).map(({ credential }) => credential);
}
