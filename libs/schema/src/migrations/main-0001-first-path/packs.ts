/** Frozen: what revision 1 made for this area. */
export const packs = [
  `CREATE TABLE IF NOT EXISTS pck_installation (
  organization_id VARBINARY(64) NOT NULL,
  owner_pack VARBINARY(128) NOT NULL,
  pack_installation_id VARBINARY(64) NOT NULL,
  installed_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (organization_id, owner_pack) /*T![clustered_index] CLUSTERED */,
  UNIQUE KEY u_id (pack_installation_id)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS pck_generation (
  storage_id VARBINARY(64) NOT NULL,
  owner_pack VARBINARY(128) NOT NULL,
  pack_version VARBINARY(32) NOT NULL,
  payload_digest BINARY(32) NOT NULL,
  manifest MEDIUMBLOB NOT NULL,
  registered_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (storage_id) /*T![clustered_index] CLUSTERED */,
  UNIQUE KEY u_payload (payload_digest),
  UNIQUE KEY u_version (owner_pack, pack_version)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS pck_definition (
  storage_id VARBINARY(64) NOT NULL,
  kind VARBINARY(32) NOT NULL,
  business_key VARBINARY(128) NOT NULL,
  definition_version VARBINARY(32) NOT NULL,
  definition MEDIUMBLOB NOT NULL,
  definition_digest BINARY(32) NOT NULL,
  PRIMARY KEY (storage_id, kind, business_key, definition_version) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
];
