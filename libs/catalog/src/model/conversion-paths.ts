import { writePaths } from '@connector/kernel/paths';
import { AUDIT, REQUEST } from './steps';

/** What a conversion writes beside the publication that it opens, and what ends the coexistence after it. */
export const conversionPaths = writePaths({
  'fail-conversion': {
    code: 'CONV-18',
    about: 'Journal that a conversion failed, and nothing else.',
    again: 'the attempt',
    steps: ['insert cat_conversion', 'read cat_conversion#attempt?'],
  },
  'retire-legacy-reader': {
    code: 'COEX-05',
    about: 'Take a reader of a frozen source out of the deletion ledger.',
    again: 'the request key; a reader that went is already-retired',
    steps: ['lock cat_lineage', ...REQUEST, 'update cat_legacy_reader#retire', 'read cat_legacy_reader#reader?', AUDIT],
  },
  'delete-legacy-pack': {
    code: 'COEX-13',
    about: 'Decide that a converted pack is deleted, its seven gates passed.',
    again: 'the request key; the decision that stands',
    steps: [
      'lock cat_lineage',
      ...REQUEST,
      'read cat_conversion#converted',
      'read cat_legacy_reader#open',
      'insert cat_legacy_deletion',
      AUDIT,
    ],
  },
});
