interface DriverNameProps {
  readonly employee: string;
  readonly employee_name: string;
}

/** A driver in a row: the name above the number, or the number alone where the master has no name. */
export const DriverName = ({ employee, employee_name: name }: DriverNameProps) => (
  <>
    {name || employee}
    {name !== '' && <span className="sub">{employee}</span>}
  </>
);
