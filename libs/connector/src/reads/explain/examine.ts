import {
  CommandId,
  CredentialGenerationId,
  EffectId,
  EpochId,
  EventId,
  ExecutionId,
  GenerationId,
  idNameOf,
  LaneId,
  LinkId,
  OutboundCommandId,
  PermitId,
  ProjectionId,
  ReceiptId,
} from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conRemoteLink } from '@connector/schema/connector/outbound';
import { linkMachine } from '../../model/outbound/link';
import { parseAccountName } from '../../model/serving/account-name';
import { examineCredential } from './credential';
import { examineEffect, examineOutboundCommand } from './effect';
import { examineEpoch } from './epoch';
import type { Examined } from './examined';
import { examineExecution, executionOfCommand } from './execution';
import { examineLane } from './lane';
import { examinePermit, openPermitsOf } from './permit';
import { examineProcess } from './process';
import { examineEvent, examineProjection, examineReceipt } from './receipt';
import { gateFindings, readGateStory } from './serving';
import type { ExplainSources } from './sources';

const LINK = readRows(conRemoteLink, ['account', 'state'], 'WHERE link_id = :link_id', 'explained');
const ACCOUNT = 'account/';

/** The row of any id with everything that holds it back; InputFault where the id is not canonical. */
export async function examine(db: Db, sources: ExplainSources, id: string): Promise<Examined | 'no-such-kind' | undefined> {
  if (id.startsWith(ACCOUNT)) return examineAccount(db, id.slice(ACCOUNT.length));
  switch (idNameOf(id)) {
    case 'ReceiptId':
      return examineReceipt(db, sources, ReceiptId.parse(id));
    case 'EventId':
      return examineEvent(db, sources, EventId.parse(id));
    case 'ProjectionId':
      return examineProjection(db, sources, ProjectionId.parse(id));
    case 'ExecutionId':
      return examineExecution(db, sources, ExecutionId.parse(id));
    case 'CommandId':
      return examineCommand(db, sources, CommandId.parse(id));
    case 'OutboundCommandId':
      return examineOutboundCommand(db, sources, OutboundCommandId.parse(id));
    case 'EffectId':
      return examineEffect(db, sources, EffectId.parse(id));
    case 'PermitId':
      return examinePermit(db, PermitId.parse(id));
    case 'LinkId':
      return examineLink(db, LinkId.parse(id));
    case 'LaneId':
      return examineLane(db, sources, LaneId.parse(id));
    case 'EpochId':
      return examineEpoch(db, EpochId.parse(id));
    case 'CredentialGenerationId':
      return examineCredential(db, sources, CredentialGenerationId.parse(id));
    case 'GenerationId':
      return examineProcess(db, GenerationId.parse(id));
    default:
      return 'no-such-kind';
  }
}

/** A Runtime command waits for what its execution waits for. */
async function examineCommand(db: Db, sources: ExplainSources, id: CommandId): Promise<Examined | undefined> {
  const executionId = await executionOfCommand(db, id);
  const examined = executionId === undefined ? undefined : await examineExecution(db, sources, executionId);
  return examined && { ...examined, kind: 'command', id };
}

async function examineLink(db: Db, id: LinkId): Promise<Examined | undefined> {
  const row = await db.readOne(LINK, { link_id: id });
  return row && { kind: 'link', id, state: linkMachine.parse(row.state), account: row.account, basis: null, findings: [], finished: true };
}

async function examineAccount(db: Db, text: string): Promise<Examined | undefined> {
  const account = parseAccountName(text);
  const gate = await readGateStory(db, account);
  if (gate === undefined) return undefined;
  const stopped = await gateFindings(db, gate);
  const open = gate.mode === 'halting_v2' ? await openPermitsOf(db, account) : [];
  const permits = await Promise.all(open.map((permitId) => examinePermit(db, permitId)));
  const findings = [...stopped, ...permits.flatMap((permit) => permit?.findings ?? [])];
  const basis = { account, epochId: gate.epoch_id, epochDigest: gate.epoch_digest };
  return { kind: 'account', id: `${ACCOUNT}${account}`, state: gate.mode, account, basis, findings, finished: findings.length === 0 };
}
