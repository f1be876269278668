-- Recipients with whom a delivery mail is done while it is still to reach others: the mail server took it for them, or
-- refused them for good. A later try leaves them out. The rows go when the mail is done with (mail_sent).
create table mail_recipient (
  facility text not null,
  mutation_id uuid not null,
  address text not null,
  -- Whether the mail server has taken it for them.
  taken boolean not null,
  settled_at timestamptz not null,
  primary key (facility, mutation_id, address)
);
