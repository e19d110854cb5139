import { EXIT, type ExitCode } from '../exit';
import { type Members, membersOf, textOf } from '../members';

/** How an attempt ended, for whoever asked. */
const EXIT_OF: Readonly<Record<string, ExitCode>> = {
  ...{ published: EXIT.done, removed: EXIT.done, abandoned: EXIT.done },
  ...{ waiting: EXIT.waiting, 'gates-open': EXIT.waiting, failed: EXIT.needsPerson },
};

/** Of an abandonment that is over there is no end beside the answer itself. */
export const exitOf = (answer: Members): ExitCode =>
  EXIT_OF[textOf(membersOf(answer['end'])['kind'])] ?? EXIT_OF[textOf(answer['kind'])] ?? EXIT.refused;
