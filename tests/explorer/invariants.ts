import type { Invariant } from './invariant';
import { authorsWait, holdsStand } from './invariants-barriers';
import { kept, revisionsRise, viewsAreWanted } from './invariants-catalog';
import { highWaterRises, neverApplied, oneAtWork, withoutHole } from './invariants-ordering';
import { ledgerGrows, ownersRise, releasesStay } from './invariants-registry';
import { honest, oneCall, underCredential } from './invariants-outbound';
import { pinsStand } from './invariants-packs';
import { audited, fencesRise, listedMoves, nothingBegins, oneEpoch } from './invariants-serving';
import { tombstonesStand } from './invariants-lifecycle';
import { bindingsKept, oneOpens, stagedForWhatServes, tuplesArePublished } from './invariants-publication';
import { convertedOnce, readersOnlyFall } from './invariants-conversion';
import { frozenWhole, verifiedPinned } from './invariants-verification';
import { boundEpochs, epochsRise } from './invariants-security';
import { commandsOfResults, conflictsKept, nobodyForgets, receiptsByKey, resultsOnce } from './invariants-work';

/** The invariants of this system as far as their rows exist; those that need a provider, a journal or a restore are proven elsewhere. */
export const INVARIANTS: readonly Invariant[] = [
  { id: 'I2', says: 'one receipt per admission key, and the key names it', broken: receiptsByKey },
  {
    id: 'ADM-X',
    says: 'a conflict is of a receipt with other bytes, is kept once and for ever, and sixteen of a receipt at most',
    broken: conflictsKept,
  },
  { id: 'I3', says: 'one result per command, never another, and an execution is completed by exactly that', broken: resultsOnce },
  {
    id: 'I4',
    says: 'every outbound command belongs to a committed result, stands once in a feed without gaps, and has one effect',
    broken: commandsOfResults,
  },
  { id: 'I5', says: 'one permit per attempt, one open permit per effect, one send token per permit', broken: oneCall },
  {
    id: 'I6',
    says: 'permit, effect and evidence say the same; what is settled once stays, and an abandoned permit is never settled',
    broken: honest,
  },
  {
    id: 'I7',
    says: 'nothing begins after the gate left serving; a permit names its fence; halted means no open permit',
    broken: nothingBegins,
  },
  {
    id: 'I8',
    says: 'nothing is granted and nothing becomes sending but under the enabled credential gate at its fence',
    broken: underCredential,
  },
  { id: 'I9', says: 'gates serve under one active epoch; the service begins once', broken: oneEpoch },
  { id: 'I10', says: 'fences and counters never go back, and every move of a mode has a fence of its own', broken: fencesRise },
  { id: 'I11', says: 'only listed moves', broken: listedMoves },
  { id: 'I15', says: 'a row that stands ready is looked for', broken: nobodyForgets },
  { id: 'I16', says: 'every move has its audit row in the same commit', broken: audited },
  { id: 'ORD-10', says: 'a high-water never goes back, and moves only to what its lane had at work', broken: highWaterRises },
  {
    id: 'ORD-13',
    says: 'a superseded position was passed by a greater one, is never claimed, and its decision stays',
    broken: neverApplied,
  },
  { id: 'ORD-14', says: 'a strict lane takes its positions upwards and without a hole but one that is closed', broken: withoutHole },
  { id: 'REG-02', says: 'a version and a digest name one another once, and a registered release stays as it is', broken: releasesStay },
  {
    id: 'PUB-08',
    says: 'an App has one owner, its epoch rises by one with an event that names both, and a new release is its owner’s of that epoch',
    broken: ownersRise,
  },
  {
    id: 'SLOT-33',
    says: 'the head of a slot is its last revision; revisions stay, have no hole, and cite the target before',
    broken: ledgerGrows,
  },
  { id: 'INST-16', says: 'a catalog revision is taken once and is the next one, and has its row', broken: revisionsRise },
  {
    id: 'INST-07',
    says: 'one live installation of an App, one open publication of an organization, and that is the one that waits',
    broken: oneOpens,
  },
  {
    id: 'PUBL-07',
    says: 'a tuple comes with the next activation epoch, one revision and one ACTIVE binding of a capability; only listed moves',
    broken: tuplesArePublished,
  },
  {
    id: 'INST-15',
    says: 'what is REMOVED neither lives nor serves nor has a binding that is held, and stays as it is',
    broken: tombstonesStand,
  },
  { id: 'BIND-02', says: 'a binding is staged for the release in which its installation is, or is to be', broken: stagedForWhatServes },
  { id: 'BIND-06', says: 'only listed moves of a binding, and an ownership epoch is of one binding', broken: bindingsKept },
  { id: 'INT-01', says: 'what serves a workload is what it is wanted to use, in a view that stands', broken: viewsAreWanted },
  {
    id: 'INT-16',
    says: 'while a barrier is held nothing is authored behind it, and its receipt is of the view that stands',
    broken: authorsWait,
  },
  {
    id: 'INT-17',
    says: 'a hold has a barrier fence of its own and one attempt, and no holder fence goes back or holds twice',
    broken: holdsStand,
  },
  { id: 'INT-13', says: 'what was authorized and what a view said stays', broken: kept },
  { id: 'INT-20', says: 'what an epoch froze of its view is one revision that was published, whole', broken: frozenWhole },
  { id: 'INT-13 verified', says: 'an epoch becomes verified with every generation that it names pinned', broken: verifiedPinned },
  {
    id: 'CONV-10',
    says: 'an attempt to convert is decided once, and an App is converted once, to an installation that is there',
    broken: convertedOnce,
  },
  { id: 'COEX-05', says: 'the ledger of readers only falls, and nobody reads what is to be deleted', broken: readersOnlyFall },
  { id: 'DEFN-M', says: 'the pin of an epoch stands as it was made, with its generations', broken: pinsStand },
  { id: 'LANE-K', says: 'at most one execution at work in a lane, and none begins in a held one', broken: oneAtWork },
  {
    id: 'SEC-06',
    says: 'a security head names the projection of its epoch, which one command made, whose binding says so, and which stays',
    broken: boundEpochs,
  },
  { id: 'SEC-03', says: 'a security epoch never goes back, and nothing of its head changes without a new one', broken: epochsRise },
];
