import { doors, writePaths } from '@connector/kernel/paths';

export const controlPaths = writePaths({
  'author-configuration': {
    code: 'author-configuration',
    about: 'Author a service configuration generation with its receipt.',
    again: 'configuration id, and the digest of its bytes',
    steps: ['read ctl_credential_generation', 'insert ctl_service_configuration', 'read ctl_service_configuration?'],
  },
  'author-credential': {
    code: 'author-credential',
    about: 'Author a credential generation for one fixed secret version.',
    again: 'generation id; account, credential identity and secret version',
    steps: ['read ctl_credential_generation', 'insert ctl_secret_use', 'read ctl_secret_use?', 'insert ctl_credential_generation'],
  },
  'decide-credential': {
    code: 'decide-credential',
    about: 'Decide that a credential generation may dispatch no more, or may again.',
    again: 'operation id',
    steps: [
      'lock con_credential_gate',
      'read ctl_credential_decision',
      'read ctl_credential_generation#account?',
      'insert ctl_credential_decision?',
    ],
  },
  'add-channel-key': {
    code: 'add-channel-key',
    about: 'Add a verification key version to a channel.',
    again: 'account, channel and key version',
    steps: [
      'lock ctl_channel_key_set',
      'insert ctl_channel_key_set?',
      'read ctl_channel_key',
      'insert ctl_secret_use',
      'read ctl_secret_use?',
      'insert ctl_channel_key',
      'update ctl_channel_key_set',
    ],
  },
  'retire-channel-key': {
    code: 'retire-channel-key',
    about: 'Let a key version verify no more.',
    again: 'account, channel and key version',
    steps: [
      'lock ctl_channel_key_set',
      'read ctl_channel_key',
      'insert ctl_channel_key_retirement',
      'read ctl_channel_key_retirement?',
      'update ctl_channel_key_set',
    ],
  },
  'record-termination': {
    code: 'record-termination',
    about: 'Record that a process generation ended, on its supervisor’s word.',
    again: 'process generation',
    steps: ['insert ctl_termination', 'read ctl_termination?'],
  },
  'record-isolation': {
    code: 'record-isolation',
    about: 'Record that a process generation can reach no provider, on its egress controller’s word.',
    again: 'process generation',
    steps: ['insert ctl_isolation', 'read ctl_isolation?'],
  },
});

export const controlDoors = doors(controlPaths, {
  'author-configuration': { paths: ['author-configuration'], by: ['control'] },
  'author-credential': { paths: ['author-credential'], by: ['control'] },
  'decide-credential': { paths: ['decide-credential'], by: ['control'] },
  'add-channel-key': { paths: ['add-channel-key'], by: ['control'] },
  'retire-channel-key': { paths: ['retire-channel-key'], by: ['control'] },
  'record-termination': { paths: ['record-termination'], by: ['control'] },
  'record-isolation': { paths: ['record-isolation'], by: ['control'] },
});
