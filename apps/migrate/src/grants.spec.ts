import { DB_ROLES, type DbRole } from '@connector/kernel/roles';
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
  ['pck_generation', ['packs']],
  ['pck_definition', ['packs']],
  ['cat_interim_view', ['catalog']],
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
];

describe('grants', () => {
  it.each(INSERT_ONLY)(
    'written once: %s is inserted by its writer alone and updated by nobody (con:INV-05, con:SUPD-M, con:MAP-E01, con:MAP-E02, con:MAP-E03, con:MAP-E07, con:MAP-E08, con:MAP-E09, con:MAP-E10, con:MAP-E12, con:MAP-E14, con:MAP-E21, con:MAP-E22, con:MAP-E23)',
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

  it('audit: everybody who moves a machine appends to the outbox and nobody reads it to decide (con:MAP-E25, con:INV-17)', () => {
    expect(writersOf('con_audit_outbox', 'UPDATE')).toEqual([]);
    for (const role of DB_ROLES.filter((one) => one !== 'operator')) {
      expect(privilegesOf(role, 'main').get('con_audit_outbox')?.has('SELECT') ?? false).toBe(false);
    }
  });
});
