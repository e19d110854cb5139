import { doors, writePaths } from '@connector/kernel/paths';

export const runtimePaths = writePaths({
  'accept-command': {
    code: 'accept-command',
    about: 'Store a command in the durable inbox. Acceptance proves nothing about behaviour (con:INV-24).',
    again: 'command id and ExecutionRef digest',
    steps: ['insert run_command', 'read run_command?', 'read run_command_start?'],
  },
  'start-command': {
    code: 'start-command',
    about: 'Count that this process begins a command again, before it does; refuse the one that ended too many.',
    again: 'command id and process',
    steps: ['lock run_command', 'lock run_command_start', 'insert run_command_start?', 'update run_command_start?'],
  },
  'leave-command': {
    code: 'leave-command',
    about: 'Take back the start of a run that this process ended without a result.',
    again: 'command id and process',
    steps: ['lock run_command', 'lock run_command_start', 'insert run_command_start?', 'update run_command_start?'],
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
  'start-command': { paths: ['start-command'], by: ['runtime'] },
  'leave-command': { paths: ['leave-command'], by: ['runtime'] },
  'commit-application': { paths: ['commit-application', 'author-outbound'], by: ['runtime'] },
});
