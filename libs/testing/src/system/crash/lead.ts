import type { CrashPoint } from './points';
import type { Script } from './script';
import { SKIPS } from './world';

type Act = (script: Script) => Promise<void>;

const delivery: Act = (script) => script.delivery();
const wideDelivery: Act = (script) => script.wideDelivery();
const haltAndResume: Act = (script) => script.haltAndResume();
const authoring: Act = (script) => script.authoring();
const revocation: Act = (script) => script.revocation();
const keys: Act = (script) => script.keys();
const candidate: Act = (script) => script.candidate();
const publication: Act = (script) => script.publication();
const deadAdapter: Act = (script) => script.deadAdapter();
/** Dead before it sent anything: its permit is granted. */
const deadBeforeSending: Act = (script) => script.deadAdapter('start-sending/lock con_credential_gate');
const conflict: Act = (script) => script.conflictingDelivery();
/** The first turn leaves the start of the acceptance, the second counts one of its own and leaves that. */
const turnedBack: Act = (script) => script.reclaimedDelivery(2);
const overtakenHint: Act = (script) => script.overtakenHint();
const wideHints: Act = (script) => script.wideHints();
const gap: Act = (script) => script.gap('deadline');
/** By a route whose contract goes on behind a gap. */
const skippedGap: Act = (script) => script.gap('deadline', SKIPS);
const filledGap: Act = (script) => script.gap('filled');
const publishers: Act = (script) => script.apps.registry.publisherAndKey();
const ownership: Act = (script) => script.apps.registry.ownership();
const installation: Act = (script) => script.apps.same('installation');
const life: Act = (script) => script.apps.same('life');
const bindings: Act = (script) => script.apps.same('bindings');
const overtaken: Act = (script) => script.apps.alone('overtaken');
const overtakenAndBlocked: Act = (script) => script.apps.alone('overtakenAndBlocked');
const abandonedUpgrade: Act = (script) => script.apps.alone('abandonedUpgrade');
const abandonedAtOnce: Act = (script) => script.apps.alone('abandonedAtOnce');
const abandonedPreparation: Act = (script) => script.apps.alone('abandonedPreparation');
/** Its start is all that it needs. */
const nothing: Act = () => Promise.resolve();

const lostAnswer =
  (door: string, act: Act): Act =>
  (script) =>
    script.withLostAnswer(door, () => act(script));

/** Steps of some runs only, and what makes such a run. */
export const BY_NAME: Readonly<Record<string, Act>> = {
  'admit-and-materialize/insert con_materialization': wideDelivery,
  'admit-and-materialize/insert con_component_refusal': (script) => script.refusedDelivery(),
  'admit-and-materialize/read con_conflicting_redelivery': conflict,
  'admit-and-materialize/insert con_conflicting_redelivery': conflict,
  'record-results/read con_result_correlation': lostAnswer('record-results', delivery),
  'settle-permits/read con_effect_evidence': lostAnswer('settle-permits', delivery),
  'record-results/update con_ordering_lane#hold': (script) => script.failedDelivery(),
  'record-results/update con_account_work#raise': (script) => script.swappedChanges(),
  'admit-and-materialize/update con_ordering_lane#settle': overtakenHint,
  'claim-lanes/insert con_superseded_decision': overtakenHint,
  'claim-lanes/update con_execution#supersede': overtakenHint,
  'claim-lanes/update con_ordering_lane#rest': (script) => script.hintBehindAnother(),
  'claim-lanes/update con_ordering_lane#lease': (script) => script.reclaimedDelivery(),
  'admit-and-materialize/insert con_superseded_decision': (script) => script.lateHint(),
  'materialize-receipts/insert con_superseded_decision': wideHints,
  'materialize-receipts/update con_ordering_lane#settle': wideHints,
  'claim-lanes/update con_execution_dependency#satisfy': filledGap,
  'claim-lanes/update con_execution#resume': filledGap,
  'claim-lanes/insert con_execution_dependency': gap,
  'claim-lanes/update con_execution#await': gap,
  'claim-lanes/update con_ordering_lane#await': gap,
  'claim-lanes/insert con_audit_outbox': gap,
  'dispose-gaps/update con_execution#resume': skippedGap,
  'dispose-gaps/update con_ordering_lane#raise': skippedGap,
  'dispose-gaps/update con_account_work#raise': skippedGap,
  'commit-application/lock run_record': (script) => script.changedContact(),
  'grant/insert con_remote_effect': (script) => script.burst(),
  'grant/update con_effect_feed': (script) => script.burst(),
  'settle-permits/update con_remote_effect#refuse': (script) => script.refusedCall(),
  'finalize-effects/read con_remote_link': (script) => script.linkedDelivery(),
  'finalize-effects/update con_remote_effect#conflict': (script) => script.contradictedDelivery(),
  'register-pack/insert pck_installation': (script) => script.firstPack(),
  'register-pack/insert pck_publication_barrier': (script) => script.firstPack(),
  'set-membership/insert cat_membership_head': (script) => script.firstMembership(),
  'open-publication/lock cat_publication_barrier': overtaken,
  'open-publication/lock cat_installation': overtaken,
  'open-publication/read cat_candidate#prior': life,
  'open-publication/update cat_installation#open': life,
  'open-publication/update cat_installation#refuse': overtakenAndBlocked,
  'publish/read cat_authorized_binding': overtaken,
  'publish/update cat_ownership_head': life,
  'publish/update cat_binding_state#drain': life,
  'publish/update cat_namespace_claim#close': life,
  'publish/update cat_view_current': life,
  'abandon-candidate/update cat_installation#abandon': abandonedAtOnce,
  'abandon-candidate/update cat_installation#give-up': abandonedPreparation,
  'open-removal/read cat_candidate#last': abandonedPreparation,
  'fail-publication/update cat_namespace_claim#close': overtakenAndBlocked,
  'record-compiled/read cat_publication_step': lostAnswer('record-compiled', installation),
  'record-acknowledged/read cat_publication_step': lostAnswer('record-acknowledged', installation),
  'settle-permits/update con_remote_effect#unknown': (script) => script.deliveryWithoutAnswer(),
  'settle-permits/update con_remote_effect#again': (script) => script.throttledDelivery(),
  'abandon-permits/update con_remote_effect#again': deadBeforeSending,
  'abandon-permits/update con_account_work#raise': deadBeforeSending,
};

/** What makes a door run; a delivery where nothing is said, since most doors stand on its way. */
const BY_DOOR: Readonly<Record<string, Act>> = {
  'materialize-receipts': wideDelivery,
  'create-effects': (script) => script.deliveryWithoutAdapter(),
  'start-command': turnedBack,
  'leave-command': turnedBack,
  'claim-executions': (script) => script.looseDelivery(),
  'dispose-gaps': gap,
  'halt-gate': haltAndResume,
  'conclude-halt': haltAndResume,
  'resume-gate': haltAndResume,
  'prepare-epoch': candidate,
  'verify-epoch': candidate,
  'reject-verified': (script) => script.disowned(),
  'author-configuration': authoring,
  'author-credential': authoring,
  'open-credential-gate': authoring,
  'decide-credential': revocation,
  'revoke-credential': revocation,
  'reenable-credential': revocation,
  'add-channel-key': keys,
  'retire-channel-key': keys,
  'move-channel-key-gate': keys,
  'register-pack': publication,
  'set-membership': publication,
  'register-publisher': publishers,
  'add-publisher-key': publishers,
  'revoke-publisher-key': publishers,
  'register-release': (script) => script.apps.registry.releases(),
  'put-blob': (script) => script.apps.registry.blobs(),
  'offer-transfer': ownership,
  'accept-transfer': ownership,
  'recover-app': ownership,
  'block-release': ownership,
  'open-publication': installation,
  'record-compiled': installation,
  'record-acknowledged': installation,
  publish: installation,
  'fail-publication': overtaken,
  'open-removal': life,
  withdraw: life,
  'finish-removal': life,
  'abandon-candidate': abandonedUpgrade,
  'supersede-abandonment': abandonedUpgrade,
  'finish-abandonment': abandonedUpgrade,
  'stage-binding': bindings,
  'activate-binding': bindings,
  'retire-binding': bindings,
  'fail-binding': bindings,
  'open-binding-reference': bindings,
  'close-binding-reference': bindings,
  'decide-retention': bindings,
  'advance-app-grants': installation,
  'set-other-inputs': (script) => script.otherInputs(),
  'pin-generations': candidate,
  'record-termination': deadAdapter,
  'record-isolation': deadAdapter,
  'abandon-permits': deadAdapter,
  'register-holder': nothing,
};

/** A service lets its own stages rest, each after work of that stage. */
const REST_OF: Readonly<Record<string, Act>> = { ingress: wideDelivery, 'cutover-coordinator': haltAndResume };

/** Does what makes the door of this point run as far as the point. */
export function leadTo(script: Script, { name, door, service }: CrashPoint): Promise<void> {
  const act = BY_NAME[name] ?? (door === 'rest-work' ? REST_OF[service] : BY_DOOR[door]) ?? delivery;
  return act(script);
}
