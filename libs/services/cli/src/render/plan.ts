import { type Members, membersOf, textOf, textsOf } from '../members';

/** A plan as it is read before it is confirmed: what it expects, does, makes impossible, and where the way back is. */
export function renderPlan(planned: Members): readonly string[] {
  const plan = membersOf(planned['plan']);
  return [
    `Plan ${textOf(planned['digest'])}  ${textOf(plan['verb'])} ${textOf(plan['subject'])}`,
    '',
    line('Expects', pairs(plan['expected'])),
    ...numbered('Steps', textsOf(plan['steps'])),
    ...listed('Then', textsOf(plan['then'])),
    ...listed('Back', textsOf(plan['way_back'])),
    line('Now', pairs(scalarsOf(planned['estimate'])) || 'nothing counted'),
    ...lists(planned['estimate']),
    line('Confirm', textOf(planned['confirm'])),
  ];
}

/** What was counted one by one stands below, an item a line. */
const scalarsOf = (value: unknown): Members =>
  Object.fromEntries(Object.entries(membersOf(value)).filter(([, held]) => !Array.isArray(held)));
const lists = (value: unknown): readonly string[] =>
  Object.entries(membersOf(value)).flatMap(([name, held]) =>
    Array.isArray(held) ? (held.length === 0 ? [line('', `${name} none`)] : held.map((item) => line('', `${name} ${textOf(item)}`))) : [],
  );

const pairs = (value: unknown): string =>
  Object.entries(membersOf(value))
    .map(([name, held]) => `${name} ${textOf(held)}`)
    .join(', ');
const line = (label: string, text: string): string => `  ${label.padEnd(9)}${text}`.trimEnd();
const listed = (label: string, items: readonly string[]): readonly string[] => items.map((item, at) => line(at === 0 ? label : '', item));
const numbered = (label: string, items: readonly string[]): readonly string[] =>
  items.map((item, at) => line(at === 0 ? label : '', `${at + 1} ${item}`));
