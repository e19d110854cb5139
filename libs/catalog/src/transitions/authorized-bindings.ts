import { jcs } from '@connector/kernel/jcs';
import { invariant } from '@connector/kernel/faults';
import { parseStrict } from '@connector/kernel/strict-json';
import type { RowOf } from '@connector/kernel/table';
import type { catAuthorizedBinding } from '@connector/schema/catalog/membership';
import type { ViewBinding } from '../model/documents';

type Row = RowOf<typeof catAuthorizedBinding>;
type BindingColumns = Omit<Row, 'organization_id' | 'app_installation_id' | 'authorized_workload_id' | 'catalog_revision' | 'ordinal'>;

/** A binding as its row; the place in the order is the caller's. */
export function columnsOf(binding: ViewBinding): BindingColumns {
  const { credential_refs: refs, runtime_command: command, ...named } = binding;
  return {
    ...named,
    credential_refs: jcs(refs),
    runtime_definition_id: command?.definition_id ?? null,
    runtime_definition_version: command?.definition_version ?? null,
  };
}

export function bindingOf(row: BindingColumns): ViewBinding {
  const { runtime_definition_id: definitionId, runtime_definition_version: version } = row;
  return {
    kind: row.kind,
    owner_pack: row.owner_pack,
    pack_installation_id: row.pack_installation_id,
    pack_payload_digest: row.pack_payload_digest,
    business_key: row.business_key,
    definition_version: row.definition_version,
    credential_refs: refsOf(row.credential_refs),
    ...(definitionId === null || version === null ? {} : { runtime_command: { definition_id: definitionId, definition_version: version } }),
  };
}

function refsOf(bytes: Buffer): readonly string[] {
  const parsed = parseStrict(bytes);
  invariant(parsed.ok && Array.isArray(parsed.value), 'HOUSE:catalog:RefsUnreadable', 'stored credential references are no list');
  return parsed.value.map(String);
}
