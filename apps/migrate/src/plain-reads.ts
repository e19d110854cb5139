import type { DbRole } from '@connector/kernel/roles';

const EPOCH = ['con_epoch', 'con_epoch_binding', 'con_epoch_content', 'con_epoch_credential'] as const;
/** What a service reads that works on an epoch: its frozen content, the configuration and the definitions that it names. */
const EPOCH_VIEW = [...EPOCH, 'ctl_service_configuration', 'pck_definition', 'pck_generation', 'pck_installation'] as const;
const GATES = ['con_serving_gate', 'con_channel_key_gate'] as const;

/**
 * Tables that a database user reads outside the doors that it opens: for candidates, for frozen facts, for people. A test follows the imports
 * of every service to `reads/` and compares.
 */
export const PLAIN_READS: Readonly<Record<DbRole, readonly string[]>> = {
  ingress: [
    ...EPOCH_VIEW,
    ...GATES,
    ...['con_account_work', 'con_materialization', 'con_receipt'],
    ...['ctl_channel_key', 'ctl_channel_key_retirement', 'ctl_channel_key_set'],
  ],
  claimant: [...EPOCH_VIEW, ...GATES, 'con_account_work', 'con_execution', 'con_ordering_lane', 'con_projection'],
  runtime: [...EPOCH_VIEW, ...GATES, 'run_application_result', 'run_record'],
  dispatcher: [
    ...GATES,
    ...['con_account_work', 'con_credential_gate', 'con_dispatch_permit', 'con_effect_feed', 'con_remote_effect', 'run_outbound_command'],
  ],
  egress: [...EPOCH_VIEW, 'con_dispatch_permit', 'ctl_credential_generation', 'run_outbound_command'],
  coordinator: [
    ...EPOCH,
    ...GATES,
    ...['con_account_work', 'con_credential_gate', 'con_dispatch_permit', 'con_effect_feed', 'con_egress_holder_generation'],
    ...['con_genesis_certificate', 'con_operation', 'ctl_isolation', 'ctl_termination'],
  ],
  verifier: [...EPOCH, 'con_epoch_verification'],
  control: [
    ...['con_channel_key_gate', 'con_credential_gate', 'ctl_channel_key_set', 'ctl_credential_decision', 'ctl_credential_generation'],
    'ctl_service_configuration',
  ],
  catalog: [
    ...['cat_authorized_binding', 'cat_installation', 'cat_integration_view', 'cat_lineage', 'cat_view_current'],
    ...['cat_binding', 'cat_binding_state', 'cat_candidate', 'cat_component_owner', 'cat_installation_identity', 'cat_publication_step'],
    ...['cat_app', 'cat_app_ownership', 'cat_ownership_event', 'cat_transfer_offer'],
    ...['cat_conversion', 'cat_legacy_deletion', 'cat_legacy_reader', 'cat_publication_barrier'],
    ...['cat_app_release', 'cat_metadata_bundle', 'cat_key_revocation', 'cat_publisher_key', 'cat_release_block'],
    ...['cat_slot_head', 'cat_slot_release_version', 'cat_slot_reservation', 'cat_slot_revision'],
    ...['cat_namespace_claim', 'cat_binding_reference', 'cat_binding_retention'],
  ],
  packs: ['pck_definition', 'pck_epoch_pin', 'pck_generation', 'pck_generation_pin', 'pck_installation', 'pck_publication_barrier'],
  artifacts: ['art_blob'],
  security: ['sec_head', 'sec_projection'],
  operator: [
    ...EPOCH_VIEW,
    ...GATES,
    ...['con_epoch_verification', 'ctl_credential_decision', 'ctl_credential_generation', 'pck_epoch_pin', 'pck_generation_pin'],
    ...[
      'con_account_work',
      'con_component',
      'con_component_refusal',
      'con_conflicting_redelivery',
      'con_credential_gate',
      'con_dispatch_permit',
      'con_effect_evidence',
    ],
    ...['con_effect_attempt', 'con_egress_holder', 'con_egress_holder_generation', 'con_event', 'con_execution', 'con_execution_attempt'],
    ...['con_materialization', 'con_projection', 'con_receipt', 'con_remote_effect', 'con_remote_link', 'con_result_correlation'],
    ...['ctl_channel_key', 'ctl_channel_key_retirement', 'ctl_channel_key_set', 'ctl_isolation', 'ctl_termination'],
    ...['con_execution_dependency', 'con_ordering_lane', 'con_superseded_decision'],
    ...['cat_app', 'cat_app_ownership', 'cat_app_release', 'cat_key_revocation', 'cat_metadata_bundle', 'cat_ownership_event'],
    ...['cat_publisher', 'cat_publisher_key', 'cat_publisher_prefix', 'cat_release_block', 'cat_slot_release_version'],
    ...['cat_binding', 'cat_binding_state', 'cat_candidate', 'cat_installation', 'cat_installation_identity', 'cat_publication_step'],
    ...['cat_integration_view', 'cat_lineage', 'cat_ownership_head', 'cat_transfer_offer', 'cat_view_current'],
    ...['cat_audit', 'cat_binding_reference', 'cat_binding_retention', 'cat_publication_barrier', 'pck_publication_barrier'],
    ...['con_operation', 'pck_audit', 'run_application_result', 'run_command', 'run_outbound_command'],
  ],
};
