import { DB_ROLES, type DbRole } from '@connector/kernel/roles';
import { MAIN_TABLES } from '@connector/schema/tables';
import { privilegesOf, type Verb } from './grants';

/** Who may write a table, by verb. */
function writersOf(table: string, verb: Verb): readonly DbRole[] {
  return DB_ROLES.filter(
    (role) =>
      privilegesOf(role, table.startsWith('jrn_') ? 'journal' : 'main')
        .get(table)
        ?.has(verb) === true,
  );
}

/** Facts that never change: no door updates them, so nobody may. */
const INSERT_ONLY: readonly (readonly [string, readonly DbRole[]])[] = [
  ['con_admission_key', ['ingress']],
  ['con_receipt', ['ingress']],
  ['con_conflicting_redelivery', ['ingress']],
  ['con_component', ['ingress']],
  ['con_component_refusal', ['ingress']],
  ['con_event', ['ingress']],
  ['con_projection', ['ingress']],
  ['con_execution_attempt', ['claimant']],
  ['con_result_correlation', ['claimant']],
  ['con_superseded_decision', ['ingress', 'claimant']],
  ['con_effect_attempt', ['dispatcher']],
  ['con_remote_link', ['dispatcher']],
  ['con_genesis_certificate', ['coordinator']],
  ['run_application_result', ['runtime']],
  ['run_outbound_command', ['runtime']],
  ['sec_projection', ['security']],
  ['sec_command', ['security']],
  ['pck_generation', ['packs']],
  ['pck_definition', ['packs']],
  ['cat_authorized_binding', ['catalog']],
  ['cat_integration_view', ['catalog']],
  ['pck_installation', ['packs']],
  ['pck_epoch_pin', ['packs']],
  ['pck_generation_pin', ['packs']],
  ['pck_audit', ['packs']],
  ['ctl_service_configuration', ['control']],
  ['ctl_credential_generation', ['control']],
  ['ctl_termination', ['control']],
  ['ctl_isolation', ['control']],
  ['jrn_genesis_commit', ['coordinator']],
];
const STATES: readonly (readonly [string, readonly DbRole[]])[] = [
  ['con_serving_gate', ['coordinator']],
  ['con_epoch', ['coordinator', 'verifier']],
  ['con_execution', ['claimant']],
  ['con_ordering_lane', ['ingress', 'claimant']],
  ['con_execution_dependency', ['claimant']],
  ['con_remote_effect', ['dispatcher', 'egress', 'coordinator']],
  ['con_dispatch_permit', ['egress', 'coordinator']],
  ['con_channel_key_gate', ['control']],
  ['run_feed_head', ['runtime']],
  ['cat_membership_head', ['catalog']],
  ['cat_view_current', ['catalog']],
  ['cat_publication_barrier', ['catalog']],
  ['pck_publication_barrier', ['packs']],
  ['sec_head', ['security']],
];

/** Facts of the App registry: who is trusted, what is registered, who owns what, and how it came to be. */
const REGISTERED: readonly (readonly [string, string])[] = [
  ['cat_publisher', 'cat:PUB-01'],
  ['cat_publisher_prefix', 'cat:A-23'],
  ['cat_publisher_key', 'cat:PUB-03'],
  ['cat_key_revocation', 'cat:A-18'],
  ['cat_app', 'cat:ID-11'],
  ['cat_ownership_event', 'cat:PUB-09'],
  ['cat_transfer_offer', 'cat:PUB-06'],
  ['cat_metadata_bundle', 'cat:OWN-05'],
  ['cat_app_release', 'cat:REG-07'],
  ['cat_release_dependency', 'cat:A-15'],
  ['cat_release_block', 'cat:A-39'],
  ['cat_component_owner', 'cat:BUN-21'],
  ['cat_capability_owner', 'cat:CAP-06'],
  ['cat_slot_reservation', 'cat:SLOT-22'],
  ['cat_slot_revision', 'cat:SLOT-23'],
  ['cat_slot_release_version', 'cat:SLOT-25'],
  ['cat_request', 'decisions 12.7'],
  ['cat_audit', 'cat:A-47'],
  ['cat_conversion', 'cat:CONV-09'],
  ['cat_legacy_deletion', 'cat:COEX-13'],
];

describe('grants', () => {
  it.each(REGISTERED)(
    'written once: %s is inserted by the catalog alone, and updated by nobody, as %s wants (cat:GEN-01, cat:PUB-05, cat:PUB-09, cat:ID-11, cat:REG-07, cat:BUN-21, cat:CAP-06, cat:SLOT-22, cat:SLOT-23, cat:SLOT-25, cat:OWN-01, cat:OWN-02, cat:OWN-03, cat:OWN-05)',
    (table) => {
      expect(writersOf(table, 'INSERT')).toEqual(['catalog']);
      expect(writersOf(table, 'UPDATE')).toEqual([]);
    },
  );

  it('moved by: the owner of an App and the head of a slot are the catalog’s to move; blobs are the artifact registry’s, written once (cat:PUB-08, cat:SLOT-24, cat:REG-09)', () => {
    for (const table of ['cat_app_ownership', 'cat_slot_head']) expect(writersOf(table, 'UPDATE')).toEqual(['catalog']);
    expect([writersOf('art_blob', 'INSERT'), writersOf('art_blob', 'UPDATE')]).toEqual([['artifacts'], []]);
    expect(privilegesOf('catalog', 'main').has('art_blob')).toBe(false);
  });

  it('audit: the catalog and the pack registry append and no door of theirs reads (cat:A-47)', () => {
    for (const [role, table] of [
      ['catalog', 'cat_audit'],
      ['packs', 'pck_audit'],
    ] as const)
      expect([...(privilegesOf(role, 'main').get(table) ?? [])]).toEqual(['INSERT']);
  });

  it.each(INSERT_ONLY)(
    'written once: %s is inserted by its writer alone and updated by nobody (con:INV-05, con:SUPD-M, con:MAP-E01, con:MAP-E02, con:MAP-E03, con:MAP-E07, con:MAP-E08, con:MAP-E09, con:MAP-E10, con:MAP-E12, con:MAP-E14, con:MAP-E21, con:MAP-E22, con:MAP-E23, cat:INT-13)',
    (table, writers) => {
      expect(writersOf(table, 'INSERT')).toEqual(writers);
      expect(writersOf(table, 'UPDATE')).toEqual([]);
    },
  );

  it.each(STATES)(
    'moved by: %s is updated by the users whose doors move it (con:INV-04, con:LANE-W, con:MAP-E05, con:MAP-E06, con:MAP-E11, con:MAP-E13, con:MAP-E15, con:MAP-E16, con:MAP-E18)',
    (table, writers) => {
      expect(writersOf(table, 'UPDATE')).toEqual(writers);
    },
  );

  it('away: the egress adapter sees nothing inbound, nobody but control writes what it authored, and only the coordinator the journal', () => {
    const egress = privilegesOf('egress', 'main');
    for (const table of ['con_receipt', 'con_component', 'con_event', 'con_execution']) expect(egress.has(table)).toBe(false);
    expect(DB_ROLES.filter((role) => [...privilegesOf(role, 'journal').values()].some((verbs) => verbs.has('INSERT')))).toEqual([
      'coordinator',
    ]);
  });

  const touching = (prefix: string): readonly DbRole[] =>
    DB_ROLES.filter((role) => [...privilegesOf(role, 'main').keys()].some((table) => table.startsWith(prefix)));

  it.each<readonly [string, DbRole, string]>([
    ['cat_', 'catalog', 'App authorization is authored by Catalog (cat:SEC-01, cat:OWN-06, cat:FAIL-05)'],
    ['sec_', 'security', 'Runtime security writes its epochs and projections (cat:OWN-07)'],
    ['pck_', 'packs', 'packs that are no Apps have a life of their own (cat:OWN-16, cat:REJ-04)'],
    ['art_', 'artifacts', 'bytes are the artifact registry’s (cat:REG-09)'],
    ['ctl_', 'control', 'configuration is its own domain (cat:OWN-14)'],
  ])('one writer: every table %s… is written by the user %s and by no other: %s', (prefix, writer) => {
    const tables = MAIN_TABLES.map(({ name }) => name).filter((name) => name.startsWith(prefix));
    expect(tables).not.toEqual([]);
    const others = tables.flatMap((table) =>
      (['INSERT', 'UPDATE'] as const).flatMap((verb) => writersOf(table, verb).filter((role) => role !== writer)),
    );
    expect(others).toEqual([]);
  });

  it('apart: Catalog sees no configuration and nothing else that is edited, and who configures sees nothing of Catalog (cat:OWN-14, cat:OWN-20, cat:OWN-21)', () => {
    expect([...privilegesOf('catalog', 'main').keys()].filter((table) => !table.startsWith('cat_'))).toEqual(['con_schema_revision']);
    expect(touching('cat_')).toEqual(['catalog', 'operator']);
  });

  it('apart: cat:SEC-04 cat:SEC-10 cat:SEC-11 cat:SEC-12 cat:REJ-10 cat:FAIL-05 Runtime security is read and written by its own user alone, which touches nothing of Catalog', () => {
    expect(touching('sec_')).toEqual(['security']);
    const others = [...privilegesOf('security', 'main').keys()].filter((table) => !table.startsWith('sec_'));
    expect(others).toEqual(['con_schema_revision']);
    expect(touching('cat_')).not.toContain('runtime');
  });

  it('audit: everybody who moves a machine appends to the outbox and nobody reads it to decide (con:MAP-E25, con:INV-17)', () => {
    expect(writersOf('con_audit_outbox', 'UPDATE')).toEqual([]);
    for (const role of DB_ROLES.filter((one) => one !== 'operator')) {
      expect(privilegesOf(role, 'main').get('con_audit_outbox')?.has('SELECT') ?? false).toBe(false);
    }
  });
});
