import { doors, writePaths } from '@connector/kernel/paths';

export const runtimePaths = writePaths({
  'accept-command': {
    code: 'accept-command',
    about: 'Store a command in the durable inbox. Acceptance proves nothing about behaviour (con:INV-24).',
    again: 'command id and ExecutionRef digest',
    steps: ['insert run_command', 'read run_command?'],
  },
  'commit-application': {
    code: 'RTC',
    about: 'Commit the result of a handler, its record changes and the receipt of both.',
    again: 'command id, as the key of its result',
    steps: [
      'lock con_serving_gate',
      'read con_epoch',
      'lock run_command',
      'read run_application_result',
      'lock run_record?',
      'insert run_record?',
      'update run_record?',
      'insert run_application_result',
      'update con_account_work#raise',
    ],
  },
  'author-outbound': {
    code: 'OAU',
    about: 'Author the outbound commands of an application transaction under the gates of source and destinations.',
    again: 'scope, root, slot and generation',
    steps: [
      'lock con_serving_gate',
      'read con_epoch',
      'read run_outbound_command?',
      'lock run_feed_head?',
      'insert run_feed_head?',
      'update run_feed_head?',
      'insert run_outbound_command?',
      'update con_account_work#raise',
    ],
  },
});

export const runtimeDoors = doors(runtimePaths, {
  'accept-command': { paths: ['accept-command'], by: ['runtime'] },
  'commit-application': { paths: ['commit-application', 'author-outbound'], by: ['runtime'] },
});
