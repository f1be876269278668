-- An impossible value of the host is one incident, however often its row is read. The importer asks by kind and details.
create index incident_by_details on incident (kind, md5(details));
