-- Operators whom an identity provider signs in (docs/decisions/0114): issuer and subject, which never change. A name or an
-- id may pass to another person there. And sign-ins under way: each is answered once, within minutes.
alter table operator add column oidc_subject text;
create unique index operator_by_oidc_subject on operator (oidc_subject);

create table oidc_sign_in (
  state_hash bytea primary key,
  -- SHA-256 of the secret of the page that began it.
  challenge bytea not null,
  nonce text not null,
  verifier text not null,
  expires_at timestamptz not null
);
create index oidc_sign_in_by_expiry on oidc_sign_in (expires_at);
